// The response to a save: results are assigned by position, or the response is not used at all.
import assert from "node:assert/strict";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, onServers, order, send } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

onServers(
  "ids and change vectors reach their entities, whatever commands are between them",
  async (t, server) => {
    const name = await database(t, server);
    for (const n of [1, 2])
      await send(server.url, "PUT", `/databases/${name}/docs?id=old/${n}`, order({ n }));
    const session = open(t, server.url, name).openSession();
    const ids = ["orders/", "orders|", "", undefined, "orders/mine", "orders/", "orders|", "", undefined];
    const entities = ids.map((_, at) => order({ at }));
    for (const [at, entity] of entities.entries()) await session.store(entity, ids[at]);
    // One deletion by entity, one by id: both are sent with the documents.
    await session.delete(await session.load("old/1"));
    await session.delete("old/2");
    await session.saveChanges();
    assert.equal(new Set(entities.map(({ id }) => id)).size, ids.length);
    for (const [at, entity] of entities.entries()) {
      const saved = await document(server, name, entity.id);
      assert.equal(saved.at, at);
      assert.equal(session.advanced.getChangeVectorFor(entity), saved["@metadata"]["@change-vector"]);
    }
    for (const n of [1, 2]) assert.equal(await document(server, name, `old/${n}`), undefined);
  },
);

/** Malformed responses. */
const WRONG = {
  "results in another order": (results) => results.reverse(),
  "one result missing": (results) => results.slice(1),
  "no results": () => [],
  "one result too many": (results) => [...results, results[0]],
  "a result without change vector": ([{ "@change-vector": _, ...first }, ...rest]) => [first, ...rest],
  "a result for another document": ([first, ...rest]) => [{ ...first, "@id": "orders/9-A" }, ...rest],
};

/** A session with two entities, whose save gets such a response. */
async function sessionWith(t, server, change, ids = []) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const session = open(t, wire.url, name).openSession();
  const entities = [order({ n: 1 }), order({ n: 2 })];
  for (const [at, entity] of entities.entries()) await session.store(entity, ids[at]);
  wire.change = (response, request) => {
    if (!isSave(request)) return;
    const { Results } = JSON.parse(response.body);
    response.body = Buffer.from(JSON.stringify({ Results: change(Results) }));
  };
  return { name, wire, session, entities };
}

const vectors = (session, entities) =>
  entities.map((entity) => session.advanced.getChangeVectorFor(entity) ?? null);

for (const [what, change] of Object.entries(WRONG)) {
  onServers(`no part of a response with ${what} is used`, async (t, server) => {
    const { name, wire, session, entities } = await sessionWith(t, server, change, [
      "orders/7-A",
      "orders/8-A",
    ]);
    const error = await failure(session.saveChanges());
    assert.deepEqual(
      [error.code, error.outcome, error.cause.code],
      ["OutcomeUnknown", "unknown", "BadAnswer"],
    );
    assert.deepEqual(vectors(session, entities), [null, null]);
    assert.equal(session.advanced.hasChanges(), true);
    wire.change = undefined;
    await session.advanced.refresh(entities);
    assert.deepEqual(
      entities.map(({ n }) => n),
      [1, 2],
    );
    entities[0].n = 3;
    await session.saveChanges();
    assert.equal((await document(server, name, entities[0].id)).n, 3);
  });

  onServers(`new documents are read back after a response with ${what}`, async (t, server) => {
    const { name, session, entities } = await sessionWith(t, server, change);
    await session.saveChanges();
    assert.equal(session.advanced.hasChanges(), false);
    const stored = await Promise.all(entities.map(({ id }) => document(server, name, id)));
    assert.deepEqual(
      vectors(session, entities),
      stored.map((found) => found["@metadata"]["@change-vector"]),
    );
  });
}
