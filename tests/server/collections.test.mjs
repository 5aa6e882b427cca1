// Collections: how they are named by registration and by convention, and what an unregistered class is warned of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentConventions } from "../../pkg/node.js";
import { GRANT, leased, liar } from "../support/liar.mjs";
import { database, document, onServers } from "../support/server.mjs";
import { open } from "../support/store.mjs";

onServers("classes registered, found by convention, and nested case of names", async (t, server) => {
  const name = await database(t, server);
  class Customer {
    name = "x";
  }
  class OrderLine {}
  class Person {}
  const store = open(t, server.url, name, {
    prepare: ({ conventions }) => {
      conventions.registerEntityType(Customer, "Customer");
      conventions.registerEntityType(Person);
      conventions.findCollectionName = (type) => (type === OrderLine ? "OrderLines" : undefined);
      conventions.findCollectionNameForObjectLiteral = (entity) => entity.kind;
    },
  });
  const session = store.openSession();
  const entities = [new Customer(), new OrderLine(), { kind: "Notes" }, new Person()];
  for (const entity of entities) await session.store(entity);
  assert.deepEqual(
    entities.map(({ id }) => id),
    ["customers/1-A", "OrderLines/1-A", "notes/1-A", "people/1-A"],
  );
  await session.saveChanges();
  const collection = async (id) => (await document(server, name, id))["@metadata"]["@collection"];
  assert.equal(await collection("OrderLines/1-A"), "OrderLines");
  assert.equal(await collection("people/1-A"), "People");
});

onServers("prefixes and collections of the app's own, and what an entity says itself", async (t, server) => {
  const name = await database(t, server);
  class Order {}
  class Note {}
  const store = open(t, server.url, name, {
    prepare: ({ conventions }) => {
      conventions.registerEntityType(Order);
      conventions.registerEntityType(Note);
      conventions.transformClassCollectionNameToDocumentIdPrefix = (collection) => `my-${collection}`;
      conventions.identityPartsSeparator = "-";
    },
  });
  const session = store.openSession();
  const own = Object.assign(new Note(), { "@metadata": { "@collection": "Scraps" } });
  const [order, as] = [new Order(), { n: 1 }];
  await session.store(order);
  await session.store(own);
  await session.store(as, undefined, { documentType: Order });
  assert.deepEqual([order.id, own.id, as.id], ["my-Orders-1-A", "my-Scraps-1-A", "my-Orders-2-A"]);
  await session.saveChanges();
  assert.equal((await document(server, name, own.id))["@metadata"]["@collection"], "Scraps");
  assert.equal((await document(server, name, as.id))["@metadata"]["@collection"], "Orders");
});

/** What is written to `console.warn` while the test runs. */
function warnings(t) {
  const said = [];
  t.mock.method(console, "warn", (text) => said.push(text));
  return said;
}

/** A session on a server that is not needed for more than leases. */
async function session(t, prepare) {
  const server = await liar(t, ({ body }) => {
    const tag = /tag=([^&"]+)/.exec(body)?.[1];
    if (!tag) return { status: 201, body: '{"Results":[]}' };
    return { body: leased({ ...GRANT, Prefix: `${decodeURIComponent(tag)}/` }) };
  });
  return open(t, server.url, "db", { prepare }).openSession();
}

test("a minified class name warns once per class, and a registered one never", {
  timeout: 20_000,
}, async (t) => {
  const said = warnings(t);
  const [$DS, e, minified] = [class $DS {}, class e {}, class minified {}];
  class Ab {}
  class Order {}
  Object.defineProperty(Ab, "name", { value: "Ab" });
  const made = await session(t, ({ conventions }) => conventions.registerEntityType(Ab, "Abbey"));
  for (const Type of [$DS, e, minified, Ab, Order, $DS, e, minified, Ab]) await made.store(new Type());
  assert.equal(said.length, 3);
  for (const [at, name] of ["$DS", "e", "minified"].entries()) {
    assert.match(said[at], /registerEntityType/);
    assert.ok(said[at].includes(`"${name}"`), "it names the class");
  }
});

test("a class without a name is warned of, too", { timeout: 20_000 }, async (t) => {
  const said = warnings(t);
  const made = await session(t);
  await made.store(new (class {})()).catch(() => {});
  assert.equal(said.length, 1);
});

test("conventions are fixed once the store is initialized", { timeout: 20_000 }, async (t) => {
  const made = await session(t);
  const { conventions } = made.advanced.documentStore;
  assert.ok(conventions instanceof DocumentConventions);
  assert.throws(() => {
    conventions.identityProperty = "Id";
  });
});
