// What a page loads with its first query. `slim` loads parts as pages do; no other entry is imported here, which would bring them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { DocumentStore, useModule } from "../../pkg/dist/entries/slim.js";
import { provideLoaders } from "../../pkg/dist/runtime/load-part.js";
import { after } from "../support/cleanup.mjs";
import { database, onRavenDb, order, putDocument } from "../support/server.mjs";

useModule(await readFile(new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url)));

const load = () => import("../../pkg/dist/rql/render.js");

function opened(t, url, name) {
  const store = new DocumentStore(url, name);
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  after(t, () => store.dispose());
  return store;
}

// Must run first, before the part is loaded.
test("a query has no text before its part is loaded, a failed load is the error of its ending, and ready() loads it", async (t) => {
  const store = opened(t, "http://127.0.0.1:1", "Shop");
  const session = store.openSession();
  provideLoaders({ rql: () => Promise.reject(new Error("offline")) });
  const query = session.query({ collection: "Orders" }).whereEquals("a", 1);
  assert.throws(() => query.toString(), { code: "InvalidOperation", message: /store\.ready\(\)/ });
  // A call that cannot be meant is told by the ending.
  query.boost(-1);
  await assert.rejects(query.all(), { code: "LoadFailed", message: /rql/ });
  await store.ready();
  assert.throws(() => query.toString(), { code: "InvalidOperation" });
  provideLoaders({ rql: load });
  await store.ready();
  assert.throws(() => query.toString(), { code: "InvalidArgument" });
  const again = session.query({ collection: "Orders" }).whereEquals("a", 1);
  assert.equal(again.toString(), "from 'Orders' where a = $p0");
  assert.throws(() => again.boost(-1), { code: "InvalidArgument" });
});

onRavenDb("a query loads its part and finds documents", async (t, server) => {
  const name = await database(t, server);
  await putDocument(server, name, "orders/1", order({ total: 7 }));
  const session = opened(t, server.url, name).openSession();
  const found = await session
    .query({ collection: "Orders" })
    .waitForNonStaleResults()
    .whereEquals("total", 7)
    .all();
  assert.deepEqual(
    found.map(({ id }) => id),
    ["orders/1"],
  );
});
