// The five ways to get an id, with the examples of RavenDB's documentation: "Working with Document Identifiers" and
// "Document Identifier Generation".
import assert from "node:assert/strict";
import { PutDocumentCommand } from "../../pkg/lib/entries/node.js";
import { isLease, proxy } from "../support/proxy.mjs";
import { counter, database, document, onServers, order, send } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SERVER_SIDE = /^companies\/\d{19}-A$/;

class Company {
  name = "";
}

/** A store that knows the class of the documentation's examples. */
async function companies(t, server) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name, { prepare: (made) => made.conventions.registerEntityType(Company) });
  return { name, wire, store, session: store.openSession() };
}

onServers("without an id the document gets a HiLo id before store resolves", async (t, server) => {
  const { name, session } = await companies(t, server);
  const [first, second] = [new Company(), Object.assign(new Company(), { id: null })];
  await session.store(first);
  await session.store(second, null);
  assert.deepEqual([first.id, second.id], ["companies/1-A", "companies/2-A"]);
  assert.equal(session.advanced.getDocumentId(first), "companies/1-A");
  await session.saveChanges();
  assert.equal((await document(server, name, "companies/1-A"))["@metadata"]["@collection"], "Companies");
  assert.equal(await counter(server, name, "companies"), 32);
});

onServers("with an empty id the document gets a GUID of the server with saveChanges", async (t, server) => {
  const { name, wire, session } = await companies(t, server);
  const [field, argument] = [Object.assign(new Company(), { id: "", name: "field" }), new Company()];
  await session.store(field);
  await session.store(argument, "");
  assert.equal(wire.of(isLease).length, 0, "no number is used");
  assert.equal(field.id, "", "the server has not been asked yet");
  await session.saveChanges();
  for (const entity of [field, argument]) {
    assert.match(entity.id, GUID);
    assert.equal(session.advanced.getDocumentId(entity), entity.id);
    assert.equal(await session.load(entity.id), entity, "from now on it has an ordinary id");
  }
  assert.notEqual(field.id, argument.id);
  const saved = await document(server, name, field.id);
  assert.deepEqual([saved.name, saved["@metadata"]["@collection"]], ["field", "Companies"]);
});

onServers(
  "an empty id in the field causes one warning per class, an empty id as argument none",
  async (t, server) => {
    const { session } = await companies(t, server);
    const warnings = [];
    t.mock.method(console, "warn", (text) => warnings.push(text));
    class Invoice {
      id = "";
    }
    await session.store(new Company(), "");
    await session.store({ id: "" });
    assert.equal(warnings.length, 0);
    for (const id of ["", " "]) await session.store(Object.assign(new Company(), { id }));
    for (const Type of [Invoice, Invoice]) await session.store(new Type());
    assert.deepEqual(
      warnings,
      ["Company", "Invoice"].map(
        (name) => `raven-edge: ${name}: the server makes a GUID for the id "", HiLo one for undefined`,
      ),
    );
  },
);

onServers("a semantic id in the field or as argument is used unchanged", async (t, server) => {
  const { name, wire, session } = await companies(t, server);
  const ids = [
    "users/ayende@ayende.com",
    "accounts/591-192/txs/2017-05-17",
    "products/käse & brot 100%",
    "x",
  ];
  const field = Object.assign(new Company(), { id: ids[0], name: "field" });
  const argument = new Company();
  const both = Object.assign(new Company(), { id: "of/the/field" });
  const short = new Company();
  await session.store(field);
  await session.store(argument, ids[1]);
  await session.store(both, ids[2]);
  await session.store(short, ids[3]);
  assert.deepEqual(
    [field.id, argument.id, both.id, short.id],
    ids,
    "the argument takes precedence over the field",
  );
  await session.saveChanges();
  assert.equal(wire.of(isLease).length, 0);
  for (const id of ids) assert.equal((await document(server, name, id))["@metadata"]["@id"], id);
  assert.equal(await document(server, name, "of/the/field"), undefined);
});

onServers("an id that ends with a slash is completed by the server with saveChanges", async (t, server) => {
  const { name, session } = await companies(t, server);
  const [field, argument] = [Object.assign(new Company(), { id: "companies/" }), new Company()];
  await session.store(field);
  await session.store(argument, "companies/");
  await session.saveChanges();
  assert.match(field.id, SERVER_SIDE);
  assert.match(argument.id, SERVER_SIDE);
  assert.ok(field.id < argument.id, "in order");
  assert.equal(session.advanced.getDocumentId(argument), argument.id);
  argument.name = "renamed";
  await session.saveChanges();
  assert.equal((await document(server, name, argument.id)).name, "renamed", "the same document again");
});

onServers("an id that ends with a pipe gets the next number of an identity", async (t, server) => {
  const { name, session } = await companies(t, server);
  const all = [
    Object.assign(new Company(), { id: "companies|" }),
    new Company(),
    Object.assign(new Company(), { id: "Companies|" }),
  ];
  await session.store(all[0]);
  await session.store(all[1], "companies|");
  await session.store(all[2]);
  await session.saveChanges();
  assert.deepEqual(
    all.map(({ id }) => id.toLowerCase()),
    ["companies/1", "companies/2", "companies/3"],
  );
  assert.ok(await document(server, name, "companies/3"));
  assert.equal(await session.load("companies/2"), all[1]);
});

onServers("PutDocumentCommand accepts ids that the server completes", async (t, server) => {
  const { name, store, session } = await companies(t, server);
  const made = { name: "x", "@metadata": { "@collection": "Companies" } };
  const results = [];
  for (const id of ["companies/", "companies|", "companies|", "companies/mine"]) {
    const command = new PutDocumentCommand(id, null, made);
    await session.advanced.getRequestExecutor().execute(command);
    results.push(command.result);
  }
  assert.match(results[0].id, SERVER_SIDE);
  assert.deepEqual(
    results.slice(1).map(({ id }) => id),
    ["companies/1", "companies/2", "companies/mine"],
  );
  for (const { id, changeVector } of results) {
    assert.equal((await document(server, name, id))["@metadata"]["@change-vector"], changeVector);
    assert.equal((await store.openSession().load(id)).name, "x");
  }
});

onServers(
  "storing under an existing semantic id overwrites the document, as documented",
  async (t, server) => {
    const { name, store } = await companies(t, server);
    for (const n of [1, 2]) {
      const session = store.openSession();
      await session.store(order({ n, [`only${n}`]: true }), "orders/special");
      await session.saveChanges();
    }
    const saved = await document(server, name, "orders/special");
    assert.equal(saved.n, 2);
    assert.equal("only1" in saved, false, "the whole document");
  },
);

onServers("a HiLo id that exists on the server causes a ConcurrencyException", async (t, server) => {
  const name = await database(t, server);
  await send(server.url, "PUT", `/databases/${name}/docs?id=orders%2F2-A`, {
    precious: true,
    "@metadata": { "@collection": "Orders" },
  });
  const session = open(t, server.url, name).openSession();
  const entities = [order({ i: 1 }), order({ i: 2 }), order({ i: 3 })];
  for (const entity of entities) await session.store(entity);
  const error = await failure(session.saveChanges());
  assert.equal(error.name, "ConcurrencyException");
  assert.equal(error.code, "Concurrency");
  assert.equal(error.status, 409);
  assert.equal(error.id, "orders/2-A");
  assert.equal(error.expectedChangeVector, "");
  assert.match(error.actualChangeVector, /^A:/);
  assert.equal((await document(server, name, "orders/2-A")).precious, true);
  assert.equal(await document(server, name, "orders/1-A"), undefined, "all or nothing");
});

onServers(
  "values that are not entities are refused; entities without a collection get their id from the server",
  async (t, server) => {
    const name = await database(t, server);
    const session = open(t, server.url, name).openSession();
    for (const wrong of [undefined, null, 5, "text", true, () => {}]) {
      assert.equal((await failure(session.store(wrong))).code, "InvalidArgument", String(wrong));
    }
    const bare = [
      {},
      Object.create(null),
      { "@metadata": {} },
      { "@metadata": null },
      { "@metadata": { "@collection": "" } },
    ];
    for (const entity of bare) await session.store(entity);
    await session.saveChanges();
    for (const entity of bare) assert.match(entity.id, GUID);
  },
);

onServers("ids that are different in RavenDB are different documents in a session", async (t, server) => {
  const { session, store } = await companies(t, server);
  const ids = ["ΟΔΟΣ/ΟΔΟΣ", "οδοσ/οδος", "İ", "i̇", "𐐀", "𐐨"];
  for (const id of ids) await session.store(Object.assign(new Company(), { name: id }), id);
  await session.saveChanges();
  const loaded = await store.openSession().load([...ids, "οδοσ/οδοσ", "ΟΔΟΣ/οδος"]);
  const names = Object.values(loaded).map(({ name }) => name);
  assert.deepEqual(names, [...ids, "ΟΔΟΣ/ΟΔΟΣ", "οδοσ/οδος"]);
});

onServers("a HiLo id that the app has used already is skipped", async (t, server) => {
  const { session } = await companies(t, server);
  await session.store(new Company(), "COMPANIES/1-a");
  const entity = new Company();
  await session.store(entity);
  assert.equal(entity.id, "companies/2-A");
  await session.saveChanges();
});
