// What a save sends: new and changed documents, once, with the app's metadata.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isSave, proxy } from "../support/proxy.mjs";
import { GRANT, leased, scriptedServer } from "../support/scripted-server.mjs";
import {
  database,
  document,
  onRavenDb,
  onServers,
  order,
  putDocument,
  ravendb,
  send,
} from "../support/server.mjs";
import { open, prepared } from "../support/store.mjs";

onServers("a save sends changed documents only", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const session = store.openSession();
  const [a, b] = [order({ list: [1] }), order({ at: new Date(0) })];
  await session.store(a);
  await session.store(b);
  await session.saveChanges();
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 1);
  a.list.push(2);
  assert.equal(session.advanced.hasChanged(a), true);
  assert.equal(session.advanced.hasChanged(b), false);
  await session.saveChanges();
  assert.deepEqual(
    JSON.parse(wire.of(isSave)[1].body).Commands.map(({ Id }) => Id),
    [a.id],
  );
  const reader = store.openSession();
  const loaded = await reader.load(a.id);
  await reader.saveChanges();
  loaded.list = undefined;
  loaded.more = { x: 1 };
  await reader.saveChanges();
  const saved = await document(server, name, a.id);
  assert.equal("list" in saved, false);
  assert.deepEqual(saved.more, { x: 1 });
  assert.equal(saved["@metadata"]["@collection"], "Orders");
  assert.equal(Object.keys(saved["@metadata"]).filter((key) => key === "@id").length, 1);
  b.at = new Date(1);
  await session.saveChanges();
  const { at } = await document(server, name, b.id);
  assert.match(
    at,
    /^19(69|70)-.*\.0010000$/,
    "ticks, in the time of this place, as npm `ravendb` writes them",
  );
  const again = await store.openSession().load(b.id);
  assert.deepEqual(again.at, new Date(1));
  assert.equal(wire.of(isSave).length, 4);
});

onServers("a document without a collection can be loaded, changed and saved", async (t, server) => {
  const name = await database(t, server);
  await send(server.url, "PUT", `/databases/${name}/docs?id=loose%2F1`, { n: 1 });
  const store = open(t, server.url, name);
  const session = store.openSession();
  const loaded = await session.load("loose/1");
  loaded.n = 2;
  await session.saveChanges();
  const saved = await document(server, name, "loose/1");
  assert.equal(saved.n, 2);
  assert.notEqual(saved["@metadata"]["@collection"], "", "an empty name is not a collection");
});

onServers("the app's metadata is saved, the server's own is omitted", async (t, server) => {
  const name = await database(t, server);
  const session = open(t, server.url, name).openSession();
  // The authority refuses what it would not execute.
  const expires = server === ravendb ? { "@expires": "2099-01-01T00:00:00.0000000Z" } : {};
  const lies = { "@id": "lie/1", "@change-vector": "A:99-lie", "@last-modified": "1999", "@flags": "x" };
  const entity = { n: 1, "@metadata": { "@collection": "Orders", mine: "ü", ...expires, ...lies } };
  await session.store(entity);
  await session.saveChanges();
  const saved = await document(server, name, entity.id);
  assert.equal(saved["@metadata"]["@id"], entity.id);
  assert.equal(saved["@metadata"].mine, "ü");
  assert.equal(saved["@metadata"]["@expires"], expires["@expires"]);
});

test("a change during a save is not considered saved", {
  timeout: 20_000,
}, async (t) => {
  let response;
  const asked = new Promise((resolve) => {
    response = resolve;
  });
  let go;
  const gate = new Promise((resolve) => {
    go = resolve;
  });
  const saves = [];
  const server = await scriptedServer(t, async ({ path, body }) => {
    if (!path.endsWith("bulk_docs")) return { body: leased(GRANT) };
    const { Commands } = JSON.parse(body);
    if (Commands[0].Type !== "PUT") return { status: 201, body: '{"Results":[]}' };
    saves.push(Commands[0].Document.n);
    response();
    await gate;
    return {
      status: 201,
      body: JSON.stringify({
        Results: Commands.map(({ Id }) => ({ Type: "PUT", "@id": Id, "@change-vector": "A:1-x" })),
      }),
    };
  });
  const session = open(t, server.url, "db").openSession();
  const entity = order({ n: 1 });
  await session.store(entity);
  const saved = session.saveChanges();
  await asked;
  entity.n = 2;
  go();
  await saved;
  assert.equal(session.advanced.hasChanged(entity), true);
  await session.saveChanges();
  assert.deepEqual(saves, [1, 2]);
});

for (const [what, change] of [
  ["is changed", (entity) => entity.n++],
  ["is not changed", () => {}],
])
  onRavenDb(
    `a revision that is asked for during a save is made by the next one: the document ${what}`,
    async (t) => {
      const { name, wire, session } = await prepared(t, ravendb);
      await putDocument(ravendb, name, "orders/1", '{"n":0}');
      const entity = await session.load("orders/1");
      const { revisions } = session.advanced;
      const isBatch = ({ path }) => path.endsWith("/bulk_docs");
      let calls = 0;
      wire.rule = (request) => {
        if (isBatch(request) && calls++ === 0) revisions.forceRevisionCreationFor(entity);
      };
      change(entity);
      revisions.forceRevisionCreationFor(entity);
      await session.saveChanges();
      await session.saveChanges();
      await session.saveChanges();
      const forced = wire.of(isBatch).filter(({ body }) => /ForceRevisionCreation/.test(body));
      assert.equal(forced.length, 2);
    },
  );
