// What a review found: changes that were not seen, saves that were called saved, documents in other collections.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeSpan } from "../../pkg/lib/time-span.js";
import { isSave } from "../support/proxy.mjs";
import { document, missing, onServers, order, ravendb, send } from "../support/server.mjs";
import { failure, open, prepared } from "../support/store.mjs";

const put = (server, name, id, document) =>
  send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, JSON.stringify(document));

for (const [what, change, expected] of [
  [
    "a member that goes while one without a value comes",
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
    assert.equal(session.advanced.hasChanges(), false, "what is not sent is no change");
  });

for (const [what, change, expected] of [
  ["a map", (entity) => (entity.tags = new Map([["a", 1]])), { tags: [["a", 1]], list: [{}] }],
  ["a set", (entity) => (entity.tags = new Set([1])), { tags: [1], list: [{}] }],
  ["a map in a list", (entity) => (entity.list[0] = new Map([[1, 2]])), { tags: {}, list: [[[1, 2]]] }],
])
  onServers(`${what} in place of an object without members is a change`, async (t, server) => {
    const { name, session } = await prepared(t, server);
    await put(server, name, "orders/mine", order({ tags: {}, list: [{}] }));
    const entity = await session.load("orders/mine");
    assert.equal(session.advanced.hasChanges(), false);
    change(entity);
    assert.equal(session.advanced.hasChanged(entity), true);
    await session.saveChanges();
    assert.equal(session.advanced.hasChanges(), false);
    const { "@metadata": _, ...shown } = await document(server, name, "orders/mine");
    assert.deepEqual(shown, expected);
  });

onServers("a date in the metadata is no change for ever", async (t, server) => {
  const { name, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  Object.assign(entity["@metadata"], { due: new Date(0), none: Number.NaN });
  await session.store(entity, "orders/mine");
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), false);
  await put(server, name, "orders/mine", order({ n: 2 }));
  await session.store(order());
  await session.saveChanges();
  assert.equal((await document(server, name, "orders/mine")).n, 2, "nobody else's write is overwritten");
  entity["@metadata"].due.setTime(5);
  assert.equal(session.advanced.hasChanges(), true);
});

for (const [who, answer] of [
  ["a proxy's page", { status: 408, body: "<html>Request Timeout</html>" }],
  [
    "a transaction of the cluster",
    { status: 408, body: '{"Type":"System.TimeoutException","Message":"late"}' },
  ],
])
  onServers(`408 of ${who} does not say that anything is saved`, async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const entity = order({ n: 1 });
    await session.store(entity, "orders/mine");
    wire.rule = (request) => (isSave(request) ? answer : undefined);
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
    wire.rule = undefined;
    await session.saveChanges();
    assert.equal((await document(server, name, "orders/mine")).n, 1);
  });

onServers("a 524 of what stands before the server is a lost answer: it is read back", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  await session.store(order({ n: 1 }));
  wire.rule = (request) => (isSave(request) ? { status: 524, body: "<html>late</html>" } : undefined);
  assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
  wire.rule = undefined;
  await session.saveChanges();
});

onServers("a save whose answer was lost goes to the next node when it is repeated", async (t, server) => {
  const { name, wire } = await prepared(t, server);
  wire.rule = () => "lose";
  const store = open(t, [wire.url, server.url], name);
  const session = store.openSession();
  await session.store(order({ n: 1 }), "orders/mine");
  const error = await failure(session.saveChanges());
  assert.equal(error.outcome, "unknown");
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 1);
  assert.equal((await document(server, name, "orders/mine")).n, 1);
});

onServers("objects without a class do not teach each other their collections", async (t, server) => {
  const { store } = await prepared(t, server, {
    prepare: ({ conventions }) => {
      conventions.findCollectionNameForObjectLiteral = (entity) => `${entity.kind}s`;
    },
  });
  const session = store.openSession();
  const bare = (fields) => Object.assign(Object.create(null), fields);
  const named = (fields) => ({ constructor: "ACME", ...fields });
  for (const make of [bare, named]) {
    const [first, other] = [make({ kind: "Order" }), make({ kind: "Customer" })];
    await session.store(first);
    await session.store(other);
    assert.match(first.id, /^orders\//);
    assert.match(other.id, /^customers\//);
  }
  await session.saveChanges();
});

onServers("a class that was chosen for one entity is not that of others like it", async (t, server) => {
  class Alpha {}
  class Beta {}
  const { store } = await prepared(t, server, {
    prepare: ({ conventions }) => {
      conventions.registerEntityType(Alpha, "Alpha");
      conventions.registerEntityType(Beta, "Beta");
    },
  });
  const session = store.openSession();
  const [first, second] = [new Alpha(), new Alpha()];
  await session.store(first, undefined, { documentType: Beta });
  await session.store(second);
  assert.match(first.id, /^betas\//);
  assert.match(second.id, /^alphas\//);
});

onServers("what a class adds to an included document is no change", async (t, server) => {
  class Customer {
    name = "";
    tags = [];
  }
  const { name, store } = await prepared(t, server, {
    prepare: ({ conventions }) => conventions.registerEntityType(Customer, "Customer"),
  });
  await put(server, name, "customers/1", { name: "a", "@metadata": { "@collection": "Customers" } });
  await put(server, name, "orders/1", { customer: "customers/1", "@metadata": { "@collection": "Orders" } });
  const session = store.openSession();
  await session.include("customer").load("orders/1");
  const customer = await session.load("customers/1", Customer);
  assert.ok(customer instanceof Customer);
  assert.deepEqual(customer.tags, []);
  assert.equal(session.advanced.hasChanges(), false);
  customer.tags.push("new");
  assert.equal(session.advanced.hasChanges(), true);
});

onServers(
  "who is stored and deleted before it was sent deletes nobody else's document",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const entity = order({ n: 1 });
    await session.store(entity);
    await put(server, name, entity.id, { n: "somebody else's", "@metadata": { "@collection": "Orders" } });
    await session.delete(entity);
    await session.saveChanges();
    assert.equal((await document(server, name, entity.id)).n, "somebody else's");
    assert.deepEqual(
      wire.of(({ path }) => path.endsWith("/bulk_docs")),
      [],
      "nothing was to be sent",
    );
    assert.equal(session.advanced.hasChanges(), false);
    const [kept, gone] = [order({ n: 2 }), order({ n: 3 })];
    await session.store(kept);
    await session.store(gone);
    await session.delete(gone);
    await session.saveChanges();
    assert.equal((await document(server, name, kept.id)).n, 2);
    await session.delete(kept);
    await session.saveChanges();
    assert.equal(await document(server, name, kept.id), undefined);
  },
);

onServers("a new document that is deleted after its save was lost is deleted", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  let blind = true;
  wire.rule = (request) =>
    isSave(request)
      ? "lose"
      : blind && request.path.endsWith("/docs")
        ? { status: 500, body: "{}" }
        : undefined;
  assert.equal((await failure(session.saveChanges())).outcome, "unknown");
  blind = false;
  await session.delete(entity);
  await session.saveChanges();
  assert.equal(await document(server, name, entity.id), undefined);
});

onServers("a long number in the metadata is not rounded in silence", async (t, server) => {
  const { name, session } = await prepared(t, server);
  const text = '{"n":1,"@metadata":{"@collection":"Orders","Big":9007199254740993}}';
  await send(server.url, "PUT", `/databases/${name}/docs?id=orders/1`, text);
  const entity = await session.load("orders/1");
  entity.n = 2;
  const error = await failure(session.saveChanges());
  assert.equal(error.code, "InexactNumber");
  assert.match(error.message, /@metadata\.Big/);
});

test("a patched document whose entity is frozen, or names its constructor, was saved", {
  skip: missing(ravendb),
}, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  const frozen = Object.freeze({ n: 1, "@metadata": { "@collection": "Orders" } });
  await session.store(frozen, "orders/frozen");
  await put(ravendb, name, "orders/named", {
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

test("time limits as RavenDB reads them", () => {
  assert.equal(timeSpan(1_500), "00:00:01.500");
  assert.equal(timeSpan(86_400_000), "1.00:00:00.000");
  assert.equal(timeSpan(Number.POSITIVE_INFINITY), "24.20:31:23.647");
});
