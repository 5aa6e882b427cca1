// A session has one object per document, in whatever case its id is requested.
import assert from "node:assert/strict";
import { database, document, onServers, order } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

onServers(
  "after store, save and load, values are unchanged, entities have ids, and each document has one object",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    const session = store.openSession();
    const entity = order({ n: 1, nested: { list: [1, "zwei", null, true, { deep: [] }] } });
    await session.store(entity);
    assert.equal(entity.id, "orders/1-A");
    assert.equal(session.advanced.getDocumentId(entity), "orders/1-A");
    assert.equal(session.advanced.getChangeVectorFor(entity), null);
    assert.equal(session.advanced.hasChanges(), true);
    assert.equal(session.advanced.isLoaded("ORDERS/1-a"), true);
    await session.saveChanges();
    assert.match(session.advanced.getChangeVectorFor(entity), /^A:\d+-/);
    assert.equal(session.advanced.hasChanges(), false);
    assert.equal(await session.load("orders/1-A"), entity, "the same object");
    assert.equal(await session.load("ORDERS/1-a"), entity, "ids are case-insensitive");
    const other = store.openSession();
    const loaded = await other.load("oRDERS/1-a");
    assert.notEqual(loaded, entity);
    assert.equal(loaded.id, "orders/1-A");
    assert.deepEqual(loaded.nested, entity.nested);
    assert.equal(await other.load("orders/1-A"), loaded);
    assert.equal(other.advanced.hasChanges(), false);
    assert.equal(other.advanced.getChangeVectorFor(loaded), session.advanced.getChangeVectorFor(entity));
  },
);

onServers("missing documents are null; several ids give an object", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const writer = store.openSession();
  for (let i = 0; i < 3; i++) await writer.store(order({ i }));
  await writer.saveChanges();
  const session = store.openSession();
  assert.equal(await session.load("orders/99-A"), null);
  const found = await session.load(["orders/2-A", "orders/77-A", "orders/1-A", "orders/2-A"]);
  assert.deepEqual(Object.keys(found), ["orders/2-A", "orders/77-A", "orders/1-A"]);
  assert.equal(found["orders/77-A"], null);
  assert.equal(found["orders/2-A"].i, 1);
  assert.deepEqual(await session.load([]), {}, "an empty list is not the whole database");
  for (const nothing of ["", " ", undefined, null]) assert.equal(await session.load(nothing), null);
  assert.deepEqual(Object.keys(await session.load(["orders/1-A", "", null, undefined])), ["orders/1-A"]);
  for (const wrong of [5, {}, ["a/1", 5]]) {
    assert.equal((await failure(session.load(wrong))).code, "InvalidArgument");
  }
});

onServers("a second object under the same id is refused, and the first one stays", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const session = store.openSession();
  const first = order({ n: 1 });
  await session.store(first, "orders/special");
  const error = await failure(session.store(order({ n: 2 }), "ORDERS/SPECIAL"));
  assert.equal(error.name, "NonUniqueObjectException");
  assert.equal(error.code, "NonUniqueObject");
  await session.saveChanges();
  assert.equal((await document(server, name, "orders/special")).n, 1);
  const reader = store.openSession();
  await reader.load("orders/special");
  assert.equal((await failure(reader.store(order({ n: 3, id: "orders/special" })))).code, "NonUniqueObject");
});

onServers("frozen and sealed entities are stored; the session knows their ids", async (t, server) => {
  const name = await database(t, server);
  const session = open(t, server.url, name).openSession();
  const frozen = Object.freeze(order({ n: 1 }));
  const sealed = Object.seal(order({ n: 2 }));
  await session.store(frozen);
  await session.store(sealed);
  assert.equal("id" in frozen, false);
  assert.equal(session.advanced.getDocumentId(frozen), "orders/1-A");
  await session.store(frozen);
  await session.saveChanges();
  assert.equal((await document(server, name, "orders/1-A")).n, 1);
  assert.equal((await document(server, name, "orders/2-A")).n, 2);
  assert.equal(await document(server, name, "orders/3-A"), undefined);
});
