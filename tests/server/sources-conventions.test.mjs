// Conventions that switch HiLo off, replace it or configure it, for all collections or for one.
import assert from "node:assert/strict";
import { isLease, proxy } from "../support/proxy.mjs";
import { database, document, onServers, order } from "../support/server.mjs";
import { open } from "../support/store.mjs";

class Order {}
class Note {}

/** A store behind a proxy, whose conventions `prepare` sets. */
async function prepared(t, server, prepare, options) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name, {
    ...options,
    prepare: (made) => {
      made.conventions.registerEntityType(Order).registerEntityType(Note);
      prepare?.(made.conventions);
    },
  });
  return { name, wire, store, session: store.openSession() };
}

onServers("with HiLo switched off, the server generates the ids", async (t, server) => {
  const { wire, session } = await prepared(t, server, (conventions) => {
    conventions.documentIdGenerator = async (_, entity) =>
      `${conventions.getCollectionNameForType(entity.constructor).toLowerCase()}/`;
  });
  const [first, second] = [new Order(), new Note()];
  await session.store(first);
  await session.store(second);
  await session.saveChanges();
  assert.match(first.id, /^orders\/\d{19}-\w+$/);
  assert.match(second.id, /^notes\/\d{19}-\w+$/);
  assert.equal(wire.of(isLease).length, 0);
});

onServers("HiLo can be replaced for all collections", async (t, server) => {
  let count = 0;
  const { name, wire, session } = await prepared(t, server, (conventions) => {
    conventions.documentIdGenerator = async (database) => `${database}/${++count}`;
  });
  const entity = new Order();
  await session.store(entity);
  await session.saveChanges();
  assert.equal(entity.id, `${name}/1`);
  assert.equal(wire.of(isLease).length, 0);
});

onServers("HiLo can be replaced for one collection, and others keep it", async (t, server) => {
  const { wire, session } = await prepared(t, server, (conventions) => {
    conventions.registerIdConvention(Note, async (_, note) => `notes/${note.author}`);
  });
  const [note, entity] = [Object.assign(new Note(), { author: "ayende" }), new Order()];
  await session.store(note);
  await session.store(entity);
  await session.saveChanges();
  assert.deepEqual([note.id, entity.id], ["notes/ayende", "orders/1-A"]);
  assert.equal(wire.of(isLease).length, 1);
});

onServers("a collection can have its own prefix, and its counter has that name", async (t, server) => {
  for (const [source, id] of [
    ["server", "o/1-A"],
    ["document", "o/1"],
  ]) {
    const { name, session } = await prepared(
      t,
      server,
      (conventions) => {
        const usual = conventions.transformClassCollectionNameToDocumentIdPrefix;
        conventions.transformClassCollectionNameToDocumentIdPrefix = (collection) =>
          collection === "Orders" ? "o" : usual(collection);
      },
      { source, capacity: { o: 50 } },
    );
    const [entity, note] = [order(), new Note()];
    await session.store(entity);
    await session.store(note);
    await session.saveChanges();
    assert.equal(entity.id, id);
    assert.match(note.id, /^notes\/1/);
    assert.equal((await document(server, name, "Raven/Hilo/o")).Max, 50);
    assert.equal((await document(server, name, id))["@metadata"]["@collection"], "Orders");
  }
});

onServers("the sessions of a store share one generator per collection", async (t, server) => {
  for (const source of ["server", "document"]) {
    const { store, wire } = await prepared(t, server, undefined, { source });
    const ids = [];
    for (let i = 0; i < 5; i++) {
      const entity = new Order();
      await store.openSession().store(entity);
      ids.push(Number(/\/(\d+)/.exec(entity.id)[1]));
    }
    ids.push(Number(/\/(\d+)/.exec(await store.hilo("ORDERS").next())[1]));
    assert.deepEqual(ids, [1, 2, 3, 4, 5, 6]);
    assert.equal(wire.requests.length, source === "server" ? 1 : 2);
  }
});
