// The state of each document that a save expects, and the parts of the response that are not applied.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DeleteCommandData,
  PatchCommandData,
  PatchRequest,
  PutCommandDataWithJson,
} from "../../pkg/lib/entries/node.js";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, missing, onServers, order, ravendb, send } from "../support/server.mjs";
import { failure, open, prepared } from "../support/store.mjs";

/** Sessions, and the change vectors that they send for new and known documents and for a deletion. */
const SESSIONS = {
  plain: [{}, ["", null, null, null, null], ["known", null, null, null, null]],
  optimistic: [
    { optimisticConcurrencyMode: "Writes" },
    ["", "", null, null, null],
    ["known", "known", null, "known", "known"],
  ],
};

for (const [what, [options, first, second]] of Object.entries(SESSIONS)) {
  onServers(`the change vectors that a session sends: ${what}`, async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name);
    const session = store.openSession(options);
    const sent = () =>
      JSON.parse(wire.of(isSave).at(-1).body).Commands.map(({ ChangeVector }) => ChangeVector);
    const entities = [order(), order(), order(), order(), order()];
    const ids = [undefined, "orders/mine", "orders/never", "orders/", "orders|"];
    for (const [at, entity] of entities.entries())
      await session.store(entity, ids[at], at === 2 ? { changeVector: null } : undefined);
    await session.saveChanges();
    assert.deepEqual(sent(), first, "an id that the server completes has no expected state");
    const known = entities.map((entity) => session.advanced.getChangeVectorFor(entity));
    const shown = (vectors) => vectors.map((vector) => (known.includes(vector) ? "known" : vector));
    for (const entity of entities.slice(0, 4)) entity.more = 1;
    await session.delete(entities[4]);
    await session.saveChanges();
    const [deleted, ...changed] = shown(sent());
    assert.deepEqual([...changed, deleted], second);
  });
}

/** Ids that no server would generate for what was sent. */
const FOREIGN = { "orders/": "other/1", "orders|": "companies/1", "": "" };

for (const [sent, made] of Object.entries(FOREIGN)) {
  onServers(`an id that does not belong to "${sent}" is refused`, async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const session = open(t, wire.url, name).openSession();
    const entity = order();
    await session.store(entity, sent);
    wire.change = (response, request) => {
      if (!isSave(request)) return;
      const { Results } = JSON.parse(response.body);
      response.body = Buffer.from(JSON.stringify({ Results: [{ ...Results[0], "@id": made }] }));
    };
    const { code, cause } = await failure(session.saveChanges());
    assert.deepEqual([code, cause.code], ["OutcomeUnknown", "BadAnswer"]);
    assert.notEqual(session.advanced.getDocumentId(entity), made || undefined);
    assert.equal(session.advanced.getChangeVectorFor(entity), null);
  });
}

onServers("an entity that was evicted during its save is not tracked again", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const [gone, kept] = [order({ n: 1 }), order({ n: 2 })];
  await session.store(gone, "orders/");
  await session.store(kept);
  wire.rule = (request) => {
    if (isSave(request)) session.advanced.evict(gone);
  };
  await session.saveChanges();
  assert.equal(session.advanced.getDocumentId(gone), null);
  const [{ "@id": made }] = JSON.parse(wire.of(isSave)[0].responseText).Results;
  assert.equal(session.advanced.isLoaded(made), false);
  assert.equal(session.advanced.hasChanges(), false);
  assert.deepEqual([...session.advanced.getTrackedEntities().keys()], [kept.id]);
  assert.equal((await document(server, name, kept.id)).n, 2);
});

onServers("a listener that evicts an entity and then reads its metadata gets an error", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  const entity = order();
  await session.store(entity);
  session.advanced.on("beforeStore", (event) => {
    session.advanced.evict(event.getEntity());
    event.getDocumentMetadata();
  });
  const error = await failure(session.saveChanges());
  assert.equal(error.code, "InvalidArgument", String(error));
  assert.equal(wire.of(isSave).length, 0);
});

onServers(
  "an entity that a listener stores gets its id at once and is saved with the rest",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    await session.store(order());
    session.advanced.on("beforeStore", (event) => {
      const entity = event.getEntity();
      if (!entity.audits) session.store(order({ audits: entity.id }));
    });
    await session.saveChanges();
    assert.equal(wire.of(isSave).length, 1);
    assert.equal((await document(server, name, "orders/2-A")).audits, "orders/1-A");
  },
);

onServers(
  "an entity that a listener deletes is deleted with the rest, and its listeners are notified",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const [one, two, three] = [order({ n: 1 }), order({ n: 2 }), order({ n: 3 })];
    for (const entity of [one, two, three]) await session.store(entity);
    await session.saveChanges();
    const deleted = [];
    session.advanced.on("beforeDelete", ({ documentId }) => deleted.push(documentId));
    // One that is not part of the save, and one that is.
    session.advanced.on("beforeStore", (event) => {
      session.delete(two);
      if (event.getEntity() === three) session.delete(three);
    });
    one.n = 4;
    three.n = 5;
    await session.saveChanges();
    assert.equal(wire.of(isSave).length, 2);
    const saved = await Promise.all([1, 2, 3].map((n) => document(server, name, `orders/${n}-A`)));
    assert.deepEqual(
      saved.map((found) => found?.n),
      [4, undefined, undefined],
    );
    assert.deepEqual(deleted, ["orders/2-A", "orders/3-A"]);
    assert.equal(session.advanced.hasChanges(), false);
  },
);

onServers("a listener that stores a document for every stored one is stopped", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  await session.store(order());
  let count = 0;
  session.advanced.on("beforeStore", () => session.store(order(), `orders/of-listener-${count++}`));
  assert.equal((await failure(session.saveChanges())).code, "InvalidOperation");
  assert.equal(wire.of(isSave).length, 0);
});

test("a response with a patched document that is not JSON still means that all was saved", {
  skip: missing(ravendb),
}, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const text = '{"n":1,"@metadata":{"@collection":"Orders"}}';
  await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/odd`, text);
  const entity = order();
  await session.store(entity, "orders/");
  const patch = new PatchCommandData("orders/odd", null, PatchRequest.forScript("this.more = 1"));
  assert.equal((await session.load("orders/odd")).n, 1, "the session loads the document again");
  session.advanced.defer(patch);
  // Scripts rewrite numbers; values that they do not touch RavenDB returns unchanged.
  wire.change = (response, request) => {
    if (isSave(request)) response.body = Buffer.from(String(response.body).replace('"n":1', '"n":1.'));
  };
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["BadAnswer", "saved"]);
  assert.equal(session.advanced.hasChanges(), false);
  wire.change = undefined;
  assert.match(entity.id, /^orders\/\d+-A$/);
  const { "@metadata": metadata } = await document(ravendb, name, entity.id);
  assert.equal(session.advanced.getChangeVectorFor(entity), metadata["@change-vector"]);
  entity.n = 2;
  await session.saveChanges();
});

onServers("invalid arguments are refused before anything is sent", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  const refused = async (code, entity, id, options) =>
    assert.equal((await failure(session.store(entity, id, options))).code, code);
  await refused("InvalidId", order(), "orders/\ud800x");
  await refused("InvalidArgument", order(), "orders/1-A", { changeVector: 5 });
  session.advanced.defer({ id: "orders/2-A", type: "PUT", serialize: () => undefined });
  assert.equal((await failure(session.saveChanges())).code, "InvalidArgument");
  assert.equal(wire.of(isSave).length, 0);
});

onServers(
  "a document under a server-generated id is not considered missing, even if that id was missing before",
  async (t, server) => {
    const { session } = await prepared(t, server);
    assert.equal(await session.load("orders/1"), null);
    const entity = order();
    await session.store(entity, "orders|");
    await session.saveChanges();
    assert.equal(entity.id, "orders/1");
    assert.equal(await session.load("orders/1"), entity);
  },
);

onServers("a command that is deferred again during its save is sent again", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  const command = new DeleteCommandData("orders/1-A", null);
  const isBatch = ({ path }) => path.endsWith("/bulk_docs");
  session.advanced.defer(command);
  wire.rule = (request) => {
    if (!isBatch(request)) return;
    wire.rule = undefined;
    session.advanced.defer(command);
  };
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), true);
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), false);
  assert.equal(wire.of(isBatch).length, 2);
});

onServers("a command that is deferred after clear during a save is not lost", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const command = (id) => new DeleteCommandData(id, null);
  session.advanced.defer(command("orders/1-A"));
  wire.rule = ({ path }) => {
    if (!path.endsWith("/bulk_docs")) return;
    wire.rule = undefined;
    session.advanced.clear();
    session.advanced.defer(command("orders/2-A"));
  };
  await send(server.url, "PUT", `/databases/${name}/docs?id=orders/2-A`, order());
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), true);
  await session.saveChanges();
  assert.equal(await document(server, name, "orders/2-A"), undefined);
});

onServers("a member with an empty name is kept when entities get their ids", async (t, server) => {
  const name = await database(t, server);
  const prepare = ({ conventions }) => conventions.registerEntityIdPropertyName(class {}, "key");
  const store = open(t, server.url, name, { prepare });
  const session = store.openSession();
  const entity = order({ "": 7 });
  await session.store(entity);
  await session.saveChanges();
  assert.equal((await document(server, name, entity.id))[""], 7);
});

test("after a 408 the session also knows the documents of deferred commands", {
  skip: missing(ravendb),
}, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  session.advanced.useOptimisticConcurrency = true;
  await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/1-A`, order({ n: 1 }));
  const entity = await session.load("orders/1-A");
  session.advanced.defer(new PutCommandDataWithJson("orders/1-A", null, null, order({ n: 2 })));
  session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300 });
  const error = await failure(session.saveChanges());
  assert.equal(error.outcome, "saved", error.message);
  const saved = await document(ravendb, name, "orders/1-A");
  assert.equal(session.advanced.getChangeVectorFor(entity), saved["@metadata"]["@change-vector"]);
});
