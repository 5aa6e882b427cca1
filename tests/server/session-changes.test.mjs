// What counts as a change of an entity.
import assert from "node:assert/strict";
import { document, onServers, order, putDocument } from "../support/server.mjs";
import { prepared } from "../support/store.mjs";

for (const [what, change, expected] of [
  [
    "a member that is removed while one with the value undefined is added",
    (entity) => {
      delete entity.a;
      entity.b = undefined;
    },
    { c: { p: 1, q: 2 } },
  ],
  ["the same in an inner object", (entity) => (entity.c = { q: 2, r: undefined }), { a: 1, c: { q: 2 } }],
  [
    "the same in the metadata",
    (entity) => {
      delete entity["@metadata"].mine;
      entity["@metadata"].other = undefined;
    },
    { a: 1, c: { p: 1, q: 2 } },
  ],
])
  onServers(`${what} is a change`, async (t, server) => {
    const { name, session } = await prepared(t, server);
    const entity = order({ a: 1, c: { p: 1, q: 2 } });
    entity["@metadata"].mine = 5;
    await session.store(entity);
    await session.saveChanges();
    change(entity);
    assert.equal(session.advanced.hasChanges(), true);
    await session.saveChanges();
    const { "@metadata": metadata, ...shown } = await document(server, name, entity.id);
    assert.deepEqual(shown, expected);
    assert.equal(metadata.mine, what.endsWith("metadata") ? undefined : 5);
    entity.none = undefined;
    assert.equal(
      session.advanced.hasChanges(),
      false,
      "a member with the value undefined is not sent, so it is not a change",
    );
  });

for (const [what, change, expected] of [
  ["a map", (entity) => (entity.tags = new Map([["a", 1]])), { tags: [["a", 1]], list: [{}] }],
  ["a set", (entity) => (entity.tags = new Set([1])), { tags: [1], list: [{}] }],
  ["a map in a list", (entity) => (entity.list[0] = new Map([[1, 2]])), { tags: {}, list: [[[1, 2]]] }],
])
  onServers(`${what} in place of an empty object is a change`, async (t, server) => {
    const { name, session } = await prepared(t, server);
    await putDocument(server, name, "orders/mine", order({ tags: {}, list: [{}] }));
    const entity = await session.load("orders/mine");
    assert.equal(session.advanced.hasChanges(), false);
    change(entity);
    assert.equal(session.advanced.hasChanged(entity), true);
    await session.saveChanges();
    assert.equal(session.advanced.hasChanges(), false);
    const { "@metadata": _, ...shown } = await document(server, name, "orders/mine");
    assert.deepEqual(shown, expected);
  });

onServers("a date in the metadata is not a change after it was saved", async (t, server) => {
  const { name, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  Object.assign(entity["@metadata"], { due: new Date(0), none: Number.NaN });
  await session.store(entity, "orders/mine");
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), false);
  await putDocument(server, name, "orders/mine", order({ n: 2 }));
  await session.store(order());
  await session.saveChanges();
  assert.equal(
    (await document(server, name, "orders/mine")).n,
    2,
    "the write of another client is not overwritten",
  );
  entity["@metadata"].due.setTime(5);
  assert.equal(session.advanced.hasChanges(), true);
});

onServers(
  "members that a class's constructor adds to an included document are not a change",
  async (t, server) => {
    class Customer {
      name = "";
      tags = [];
    }
    const { name, store } = await prepared(t, server, {
      prepare: ({ conventions }) => conventions.registerEntityType(Customer, "Customer"),
    });
    await putDocument(server, name, "customers/1", {
      name: "a",
      "@metadata": { "@collection": "Customers" },
    });
    await putDocument(server, name, "orders/1", {
      customer: "customers/1",
      "@metadata": { "@collection": "Orders" },
    });
    const session = store.openSession();
    await session.include("customer").load("orders/1");
    const customer = await session.load("customers/1", Customer);
    assert.ok(customer instanceof Customer);
    assert.deepEqual(customer.tags, []);
    assert.equal(session.advanced.hasChanges(), false);
    customer.tags.push("new");
    assert.equal(session.advanced.hasChanges(), true);
  },
);
