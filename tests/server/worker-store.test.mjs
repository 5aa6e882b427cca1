// A Worker's store does not lease for requests that the runtime has cancelled without notice.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Runtime } from "../../pkg/dist/runtime/runtime.js";
import { QueryStore } from "../../pkg/dist/store/query-store.js";
import { glue, Store, Task } from "../../pkg/gen/raven_edge_worker.js";
import { isLease, proxy } from "../support/proxy.mjs";
import { database, onServers } from "../support/server.mjs";

const module = readFileSync(new URL("../../pkg/gen/raven_edge_worker_bg.wasm", import.meta.url));
const runtime = new Runtime(glue, () => module);

onServers("a lease does not include numbers for cancelled requests", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  // workerd never resumes a cancelled request, nor settles what it awaits.
  let cancelled = true;
  const fetch = (url, init) => (cancelled ? new Promise(() => {}) : globalThis.fetch(url, init));
  const store = new QueryStore(runtime, wire.url, name, { fetch, timeout: 5_000 });
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

test("the Worker module has no pool", () => {
  assert.equal("letGo" in Store.prototype, false);
  assert.equal("decide" in Task.prototype, false);
});
