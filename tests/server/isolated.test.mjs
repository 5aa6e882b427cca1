// What a Worker's store does not go by: requests of others, which may have been cancelled without a word.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Generator, glue, Task } from "../../pkg/gen/raven_edge_worker.js";
import { StoreBase } from "../../pkg/lib/query/store.js";
import { Runtime } from "../../pkg/lib/runtime.js";
import { isLease, proxy } from "../support/proxy.mjs";
import { database, onServers } from "../support/server.mjs";

const module = readFileSync(new URL("../../pkg/gen/raven_edge_worker_bg.wasm", import.meta.url));
const runtime = new Runtime(glue, () => module, { isolated: true });

onServers("who was cancelled while waiting is not leased for", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  // workerd never goes on with a cancelled request, nor settles what it waits for.
  let cancelled = true;
  const fetch = (url, init) => (cancelled ? new Promise(() => {}) : globalThis.fetch(url, init));
  const store = new StoreBase(runtime, wire.url, name, { fetch, timeout: 5_000 });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  const ids = store.hilo("orders");
  for (let i = 0; i < 3; i++) ids.next().catch(() => {});
  ids.reserve(5).catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  cancelled = false;
  await ids.reserve(100);
  const [lease, ...more] = wire.of(isLease);
  assert.deepEqual(more, []);
  assert.match(lease.body, /lastBatchSize=100&/);
  assert.equal(ids.status().atHand, 100);
  await store.dispose();
});

test("a Worker's module parks nothing and says so", () => {
  assert.equal("park" in Generator.prototype, false);
  assert.equal("decide" in Task.prototype, false);
});
