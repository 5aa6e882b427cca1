// Options, conventions, members and commands that do not exist: an error names them, and nothing is ignored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HiLoStore } from "../../pkg/dist/entries/hilo/node.js";
import { DocumentStore } from "../../pkg/dist/entries/node.js";
import { settingsOf } from "../../pkg/dist/hub/hub-options.js";

const store = () => new DocumentStore("http://127.0.0.1:1", "Shop");
const refused = (...names) => ({ code: "InvalidArgument", message: new RegExp(names.join(".*")) });

test("a misspelt option, mode or event is refused, and the error suggests the right name", () => {
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
  for (const Store of [DocumentStore, HiLoStore]) {
    const misspelt = new Store("http://127.0.0.1:1", "Shop", { certifcate: "x" });
    assert.throws(() => misspelt.initialize(), refused("certifcate", "certificate"));
  }
  // Falsy values have a meaning, such as 0 for `keep`.
  for (const [name, value, right] of [
    ["kep", 0, "keep"],
    ["timeot", null, "timeout"],
    ["certifcate", "", "certificate"],
  ]) {
    const misspelt = new DocumentStore("http://127.0.0.1:1", "Shop", { [name]: value });
    assert.throws(() => misspelt.initialize(), refused(name, right));
  }
  assert.throws(() => ready.openSession({ noTrackng: false }), refused("noTrackng", "noTracking"));
  // `undefined` is the same as no option.
  ready.openSession({ noTracking: undefined, anything: undefined }).dispose();
});

test("an unknown option of a source is refused", () => {
  for (const [wrong, right] of [
    ["speling", "spelling"],
    ["capacty", "capacity"],
  ]) {
    const source = { kind: "document", [wrong]: "Replication/HiLo" };
    for (const Store of [DocumentStore, HiLoStore]) {
      const misspelt = new Store("http://127.0.0.1:1", "Shop", { source });
      assert.throws(() => misspelt.initialize(), refused(wrong, right));
    }
  }
  // A source of the app is any object with the functions.
  const source = { lease: () => ({ low: 1, high: 9 }), connection: {} };
  new DocumentStore("http://127.0.0.1:1", "Shop", { source }).initialize();
});

test("an unknown option of a hub is refused", () => {
  const namespace = () => ({});
  const settings = (options) => () => settingsOf({ namespace, upstream: "http://127.0.0.1:1", ...options });
  settings({ nodTag: undefined })();
  assert.throws(settings({ nodTag: "H1" }), refused("nodTag", "nodeTag"));
  assert.throws(settings({ loans: { frist: 4 } }), refused("loans", "frist", "first"));
  assert.throws(settings({ ranges: { biggest: 4 } }), refused("ranges", "biggest", "largest"));
  const upstream = { url: "http://127.0.0.1:1", header: () => ({}) };
  assert.throws(() => settings({ upstream })().upstream({}), refused("upstream", "header", "headers"));
  settings({ upstream: new URL("http://127.0.0.1:1") })().upstream({});
});

test("an unknown convention is refused when it is set, before and after initialize", () => {
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

test("the conventions of a store can be replaced before initialize, and not afterwards", () => {
  for (const Store of [DocumentStore, HiLoStore]) {
    const [first, second] = [0, 1].map(() => new Store("http://127.0.0.1:1", "Shop"));
    const shared = first.conventions;
    shared.identityPartsSeparator = "-";
    second.conventions = shared;
    second.initialize();
    const replace = () => {
      second.conventions = new Store("http://127.0.0.1:1", "Shop").conventions;
    };
    assert.throws(replace, { code: "InvalidOperation", message: /conventions .*initialize/ });
    assert.equal(second.conventions, shared);
  }
});

test("a member of npm ravendb that this package lacks throws an error that names an alternative", () => {
  const ready = store().initialize();
  const session = ready.openSession();
  const absent = (name) => ({
    code: "Unsupported",
    message: new RegExp(`^${name} is not in raven-edge: .+`),
  });
  assert.throws(() => ready.smuggler.exportTo(), absent("store.smuggler"));
  assert.throws(() => ready.ai.agents, absent("store.ai"));
  // Enumerating the members of an object does not throw.
  assert.deepEqual(Object.keys(ready).includes("ai"), false);
  assert.equal(Object.keys({ ...session }).includes("countersFor"), false);
});

test("a command or operation of another package is refused by name", async () => {
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
