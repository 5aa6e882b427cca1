// Names that an app gives, or looks for: what is not known or absent is an error that says so, and nothing is ignored.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { DocumentConventions, DocumentStore } from "../../pkg/node.js";
import { database, onServers } from "../support/server.mjs";
import { open } from "../support/store.mjs";

const store = () => new DocumentStore("http://127.0.0.1:1", "Shop");
const refused = (...names) => ({ code: "InvalidArgument", message: new RegExp(names.join(".*")) });

test("an option, a mode or an event that is misspelt is refused, and the error has the right name", () => {
  const ready = store().initialize();
  const session = ready.openSession();
  assert.throws(() => ready.openSession({ noTrackng: true }), refused("noTrackng", "noTracking"));
  assert.throws(
    () => ready.openSession({ transactionMode: "Clusterwide" }),
    refused("Clusterwide", "ClusterWide"),
  );
  assert.throws(() => session.advanced.setTransactionMode("Single"), refused("Single", "SingleNode"));
  assert.throws(
    () => {
      session.advanced.optimisticConcurrencyMode = "writes";
    },
    refused("writes", "Writes"),
  );
  assert.throws(() => ready.addSessionListener("beforeStor", () => {}), refused("beforeStor", "beforeStore"));
  assert.throws(() => ready.on("leases", () => {}), refused("leases", "lease"));
  assert.throws(() => ready.once("leases", () => {}), refused("leases", "lease"));
  assert.throws(() => session.advanced.on("beforeDeletes", () => {}), refused("beforeDelete"));
  const misspelt = new DocumentStore("http://127.0.0.1:1", "Shop", { certifcate: "x" });
  assert.throws(() => misspelt.initialize(), refused("certifcate", "certificate"));
  // An option without a value says nothing.
  ready.openSession({ noTrackng: false, anything: undefined }).dispose();
});

test("a convention that there is not is refused when it is set, before and after initialize", () => {
  const { conventions } = store();
  const set = (name) => () => {
    conventions[name] = "x";
  };
  assert.throws(set("identityPropertty"), refused("identityPropertty", "identityProperty"));
  assert.throws(set("serverToLocalFieldNameConverter"), refused("serverToLocalFieldNameConverter"));
  conventions.freeze();
  assert.throws(set("dateUtil"), refused("dateUtil"));
  assert.throws(set("identityProperty"), { code: "InvalidOperation", message: /identityProperty/ });
  assert.equal(conventions.identityProperty, "id");
});

test("a member of npm ravendb that is absent says so, and what to use instead", () => {
  const ready = store().initialize();
  const session = ready.openSession();
  const absent = (name) => ({
    code: "Unsupported",
    message: new RegExp(`^${name} is not in raven-edge: .+`),
  });
  assert.throws(() => ready.bulkInsert(), absent("store.bulkInsert"));
  assert.throws(() => ready.subscriptions.create({}), absent("store.subscriptions"));
  assert.throws(() => session.countersFor("orders/1-A"), absent("session.countersFor"));
  assert.throws(() => session.advanced.attachments.get("a", "b"), absent("session.advanced.attachments"));
  // Who looks at every member of an object does not stumble over one.
  assert.deepEqual(Object.keys(ready).includes("bulkInsert"), false);
  assert.equal(JSON.stringify({ ...session.advanced }).includes("attachments"), false);
});

test("a command or an operation of somebody else is named in the error", async () => {
  class PutIndexOperation {
    getCommand() {
      return {};
    }
  }
  const ready = store().initialize();
  await assert.rejects(ready.maintenance.send(new PutIndexOperation()), refused("PutIndexOperation"));
  await assert.rejects(ready.execute(undefined), refused("undefined"));
  await assert.rejects(ready.execute(new PutIndexOperation()), refused("PutIndexOperation"));
});

test("a class that was registered without a name, and may be minified, warns once when its collection is named", (t) => {
  const said = [];
  t.mock.method(console, "warn", (text) => said.push(text));
  class xts {}
  class BS {}
  const conventions = new DocumentConventions();
  conventions.registerEntityType(xts).registerEntityType(BS);
  assert.deepEqual(said, []);
  for (const type of [xts, BS, xts, BS]) conventions.getCollectionNameForType(type);
  assert.match(said.join("\n"), /"xts".*\n.*"BS"/);
  assert.equal(said.length, 2);
  conventions.registerEntityType(class t {}, "Order");
  assert.equal(said.length, 2);
});

test("where plurals are loaded later, a collection that is asked for too early names class and way out", () => {
  const source = `
    import { DocumentStore, useModule } from ${JSON.stringify(new URL("../../pkg/slim.js", import.meta.url).href)};
        import { readFileSync } from "node:fs";
    useModule(readFileSync(${JSON.stringify(new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url).pathname)}));
    class Person {}
    const store = new DocumentStore("http://127.0.0.1:1", "Shop").initialize();
    let early;
    try { store.conventions.getCollectionNameForType(Person); } catch (error) { early = error.code + ": " + error.message; }
    await store.ready();
    console.log(early);
    console.log(store.conventions.getCollectionNameForType(Person));
    console.log(store.openSession().query({ documentType: Person }).toString());
    await store.dispose();
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
    encoding: "utf8",
  });
  const [early, name, text] = stdout.split("\n");
  assert.match(early ?? stderr, /^InvalidOperation: .*Person.*store\.ready\(\)/);
  assert.deepEqual([name, text], ["People", "from 'People'"]);
});

onServers(
  "a store without a database works on those that are named, and gives all back",
  async (t, server) => {
    const name = await database(t, server);
    const bare = open(t, server.url, undefined);
    await bare.ready();
    assert.throws(() => bare.openSession(), { code: "InvalidOperation", message: /database/ });
    await assert.rejects(bare.hilo("orders").next(), { code: "InvalidOperation" });
    const session = bare.openSession(name);
    const order = { "@metadata": { "@collection": "Orders" } };
    await session.store(order);
    await session.saveChanges();
    assert.equal(order.id, "orders/1-A");
    await bare.release();
    const next = open(t, server.url, name);
    assert.equal(await next.hilo("orders").next(), "orders/2-A");
  },
);

onServers("what listens to a request executor hears of its database alone", async (t, server) => {
  const [one, other] = [await database(t, server), await database(t, server)];
  const both = open(t, server.url, one);
  const told = [];
  const executor = both.getRequestExecutor(other);
  executor.on("beforeRequest", ({ database }) => told.push(database));
  await both.openSession().load("a/1");
  await both.openSession(other).load("a/1");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([...new Set(told)], [other]);
  assert.notEqual(executor, both.getRequestExecutor());
});
