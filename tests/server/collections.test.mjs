// Names of collections: by registration and by convention, and the warning for unregistered classes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInThisContext } from "node:vm";
import { DocumentConventions } from "../../pkg/lib/entries/node.js";
import { GRANT, leased, scriptedServer } from "../support/scripted-server.mjs";
import { database, document, onServers } from "../support/server.mjs";
import { open, prepared } from "../support/store.mjs";

onServers(
  "collections of registered classes, of conventions, and of names with several words",
  async (t, server) => {
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
  },
);

onServers("the app can set prefixes and collections, and an entity its own collection", async (t, server) => {
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

/** The lines written to `console.warn` during the test. */
function warnings(t) {
  const logged = [];
  t.mock.method(console, "warn", (text) => logged.push(text));
  return logged;
}

/** A session on a server that only grants leases. */
async function session(t, prepare) {
  const server = await scriptedServer(t, ({ body }) => {
    const tag = /tag=([^&"]+)/.exec(body)?.[1];
    if (!tag) return { status: 201, body: '{"Results":[]}' };
    return { body: leased({ ...GRANT, Prefix: `${decodeURIComponent(tag)}/` }) };
  });
  return open(t, server.url, "db", { prepare }).openSession();
}

test("a minified class name causes one warning per class; a registered class causes none", {
  timeout: 20_000,
}, async (t) => {
  const logged = warnings(t);
  const [$DS, e, minified, Ab] = runInThisContext("[class $DS{},class e{},class minified{},class Ab{}]");
  class Order {}
  const made = await session(t, ({ conventions }) => conventions.registerEntityType(Ab, "Abbey"));
  for (const Type of [$DS, e, minified, Ab, Order, $DS, e, minified, Ab]) await made.store(new Type());
  assert.equal(logged.length, 3);
  for (const [at, name] of ["$DS", "e", "minified"].entries()) {
    assert.match(logged[at], /registerEntityType/);
    assert.ok(logged[at].includes(`"${name}"`), "it names the class");
  }
});

test("a class without a name causes a warning too", { timeout: 20_000 }, async (t) => {
  const logged = warnings(t);
  const made = await session(t);
  await made.store(new (class {})()).catch(() => {});
  assert.equal(logged.length, 1);
});

test("conventions cannot be changed after initialize", { timeout: 20_000 }, async (t) => {
  const made = await session(t);
  const { conventions } = made.advanced.documentStore;
  assert.ok(conventions instanceof DocumentConventions);
  assert.throws(() => {
    conventions.identityProperty = "Id";
  });
});

onServers("the collection of one object without a class does not apply to others", async (t, server) => {
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

onServers(
  "a documentType that was given for one entity does not apply to others of its class",
  async (t, server) => {
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
  },
);
