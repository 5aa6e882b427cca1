// Frozen entities and frozen metadata: a save that succeeded resolves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { document, missing, onServers, putDocument, ravendb } from "../support/server.mjs";
import { prepared } from "../support/store.mjs";

onServers(
  "a save of an entity with frozen metadata (Object.assign of Immer's next state) resolves",
  async (t, server) => {
    const { name, session } = await prepared(t, server);
    await putDocument(server, name, "orders/1", '{"n":0,"@metadata":{"@collection":"Orders"}}');
    const loaded = await session.load("orders/1");
    Object.assign(loaded, { n: 1, "@metadata": Object.freeze({ ...loaded["@metadata"] }) });
    await session.saveChanges();
  },
);

onServers("getMetadataFor shows the id of a frozen entity", async (t, server) => {
  const { session } = await prepared(t, server);
  const entity = Object.freeze({ n: 1, "@metadata": Object.freeze({ "@collection": "Orders" }) });
  await session.store(entity);
  await session.saveChanges();
  assert.equal(session.advanced.getMetadataFor(entity)["@id"], "orders/1-A");
});

test("a patch of a document whose entity is frozen, or has a member called constructor, resolves", {
  skip: missing(ravendb),
}, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  const frozen = Object.freeze({ n: 1, "@metadata": { "@collection": "Orders" } });
  await session.store(frozen, "orders/frozen");
  await putDocument(ravendb, name, "orders/named", {
    constructor: "ACME",
    n: 1,
    "@metadata": { "@collection": "Orders" },
  });
  const named = await session.load("orders/named");
  await session.saveChanges();
  session.advanced.increment("orders/frozen", "n", 1);
  session.advanced.increment("orders/named", "n", 1);
  await session.saveChanges();
  for (const id of ["orders/frozen", "orders/named"]) assert.equal((await document(ravendb, name, id)).n, 2);
  assert.equal(named.n, 2);
});
