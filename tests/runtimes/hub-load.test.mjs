// The cost of a hub: a thousand isolates take a hundred thousand ids; a third of the isolates dies without returning
// any.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Runtime } from "../../pkg/dist/runtime/runtime.js";
import { StoreBase } from "../../pkg/dist/store/store.js";
import { glue } from "../../pkg/gen/raven_edge_worker.js";
import { startHub } from "../support/hub.mjs";
import { proxy } from "../support/proxy.mjs";
import { random } from "../support/random.mjs";
import { counter, database, missing, number, ravendb, send } from "../support/server.mjs";

const ISOLATES = 1_000;
const IDS = 100;
/** Number of concurrent isolates. */
const ABREAST = 40;

const module = readFileSync(new URL("../../pkg/gen/raven_edge_worker_bg.wasm", import.meta.url));
/** The client as in a Worker: nothing outlives a request, nothing is leased ahead. */
const runtime = new Runtime(glue, () => module);

test("1,000 isolates, 100,000 ids, 30 % die: few requests to RavenDB, few lost numbers", {
  skip: missing(ravendb),
  timeout: 240_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const wire = await proxy(t, ravendb.url);
  const hub = await startHub(t, wire.url);
  const { below: roll } = random(8);
  const seen = new Set();
  let [lent, returned] = [0, 0];
  const isolate = async () => {
    const store = new StoreBase(runtime, hub.url, name);
    store.conventions.disableTopologyUpdates = true;
    store.initialize();
    store.on("lease", ({ low, high }) => {
      lent += high - low + 1;
    });
    store.on("return", ({ low, high, applied }) => {
      returned += applied ? high - low + 1 : 0;
    });
    const dies = roll(10) < 3;
    // The average is the same for isolates that die, so that survivors do not change the sum.
    const count = IDS / 2 + roll(IDS + 1);
    for (let i = 0; i < count; i++) seen.add(number(await store.hilo("orders").next()));
    if (!dies) await store.release();
    return count;
  };
  const counts = [];
  await Promise.all(
    Array.from({ length: ABREAST }, async () => {
      while (counts.length < ISOLATES) {
        const at = counts.push(0) - 1;
        counts[at] = await isolate();
      }
    }),
  );
  const issued = counts.reduce((sum, count) => sum + count, 0);
  assert.equal(seen.size, issued, "all ids are distinct");
  const requests = wire.requests.length;
  await send(hub.url, "POST", `/release/${name}/orders`);
  const max = await counter(ravendb, name, "orders");
  const lost = (lent - returned - issued) / (lent - returned);
  const per100k = (requests / issued) * 100_000;
  t.diagnostic(
    `${issued} ids: ${requests} requests to RavenDB (${per100k.toFixed(1)} per 100,000), ` +
      `${(lost * 100).toFixed(1)} % of what was lent is lost; Max ${max}`,
  );
  assert.ok(per100k <= 10, `${per100k} requests per 100,000 ids`);
  assert.ok(lost <= 0.05, `${lost} lost`);
  assert.ok(max <= issued * 1.08, "the hub keeps small chunks");
});
