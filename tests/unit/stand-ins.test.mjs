// Objects whose code is not loaded yet: which members they have. `slim` loads parts as pages do; the entry for Node,
// which would bring them, is imported last.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { DocumentStore, useModule } from "../../pkg/dist/entries/slim.js";
import { loadedPart, loadPart, provideLoaders } from "../../pkg/dist/runtime/load-part.js";

useModule(await readFile(new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url)));

/** A store without a server. */
function storeOf(t) {
  const fetch = () => Promise.reject(new Error("no server"));
  class Closed {
    close() {}
  }
  const store = new DocumentStore("http://127.0.0.1:1", "Shop", { fetch, webSocket: Closed });
  store.conventions.disableTopologyUpdates = true;
  t.after(() => store.dispose());
  return store.initialize();
}

/** The objects by name. */
const objectsOf = (store) => {
  const session = store.openSession({ transactionMode: "ClusterWide" });
  const changes = store.changes();
  const bulk = store.bulkInsert();
  return {
    attachments: session.advanced.attachments,
    revisions: session.advanced.revisions,
    "revisions.lazily": session.advanced.revisions.lazily,
    clusterTransaction: session.advanced.clusterTransaction,
    "clusterTransaction.lazily": session.advanced.clusterTransaction.lazily,
    counters: session.countersFor("orders/1"),
    "a time series": session.timeSeriesFor("orders/1", "pulse"),
    "an incremental time series": session.incrementalTimeSeriesFor("orders/1", "INC:steps"),
    hiLoIdGenerator: store.hiLoIdGenerator,
    "time series of a store": store.timeSeries,
    "a bulk insert": bulk,
    "attachments of a bulk insert": bulk.attachmentsFor("orders/1"),
    "counters of a bulk insert": bulk.countersFor("orders/1"),
    "a time series of a bulk insert": bulk.timeSeriesFor("orders/1", "pulse"),
    subscriptions: store.subscriptions,
    "a subscription worker": store.subscriptions.getSubscriptionWorker("none"),
    changes,
    "an observable": changes.forDocument("orders/1"),
  };
};

test("an object for which no code can be loaded tells its listeners of `error`", async (t) => {
  const store = storeOf(t);
  provideLoaders({ live: () => Promise.reject(new Error("offline")) });
  t.after(() => provideLoaders({ live: () => import("../../pkg/dist/live/live.js") }));
  const error = await new Promise((resolve) => store.changes().on("error", resolve));
  assert.equal(error.code, "LoadFailed");
});

test("before its code is loaded an object has the methods of its class and no others", async (t) => {
  const store = storeOf(t);
  for (const part of [
    "attachments",
    "bulkInsert",
    "cluster",
    "counters",
    "hilo",
    "live",
    "revisions",
    "subscriptions",
    "timeSeries",
  ])
    assert.equal(loadedPart(part), undefined, part);
  const objects = objectsOf(store);
  const { changes } = objects;
  assert.equal(changes.connected, undefined);
  const declared = {};
  for (const [name, object] of Object.entries(objects)) {
    declared[name] = Object.keys(object).filter((member) => typeof object[member] === "function");
    for (const member of ["incremnt", "then", "toJSON"]) assert.equal(object[member], undefined, name);
  }
  assert.throws(() => objects.counters.incremnt("likes"), TypeError);
  await changes.forDocument("orders/1").on("data", () => {});
  await loadPart("live");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(changes.connected, false, "it is the object itself now");
  assert.equal(
    changes.off("error", () => {}),
    changes,
  );
  assert.deepEqual(Object.keys(changes), []);

  await import("../../pkg/dist/entries/node.js");
  const real = objectsOf(store);
  for (const [name, members] of Object.entries(declared))
    for (const member of members) assert.equal(typeof real[name][member], "function", `${name}.${member}`);
});
