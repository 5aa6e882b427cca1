// Objects of frameworks as entities: proxies of Vue and Svelte, accessors of MobX, frozen objects of Immer, copies of
// React.
import assert from "node:assert/strict";
import { observable, produce, reactive, state } from "../support/frameworks.mjs";
import { isSave } from "../support/proxy.mjs";
import { document, onServers, order } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

const lines = () => ({ lines: [{ product: "käse", pieces: [1, 2] }], note: null });

const MUTABLE = {
  "Vue's reactive": (fields) => reactive(order(fields)),
  "Svelte's $state": (fields) => state(order(fields)),
  "MobX's observable": (fields) => observable(order({ id: undefined, ...fields })),
  "MobX's observable with nested ones": (fields) =>
    observable(order({ ...fields, lines: fields.lines.map(observable) })),
};

for (const [what, make] of Object.entries(MUTABLE)) {
  onServers(`${what} can be stored, changed deep inside, and deleted`, async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const entity = make(lines());
    await session.store(entity);
    assert.equal(entity.id, "orders/1-A");
    assert.equal(session.advanced.getDocumentId(entity), "orders/1-A");
    await session.saveChanges();
    assert.equal(await session.load("orders/1-A"), entity, "the same object that the app holds");
    const { "@metadata": metadata, ...saved } = await document(server, name, entity.id);
    assert.deepEqual(saved, lines());
    assert.equal(metadata["@collection"], "Orders");
    assert.equal(session.advanced.hasChanges(), false);
    await session.saveChanges();
    assert.equal(wire.of(isSave).length, 1);
    entity.lines[0].pieces.push(3);
    entity.note = "deep";
    assert.equal(session.advanced.hasChanged(entity), true);
    await session.saveChanges();
    const again = await document(server, name, entity.id);
    assert.deepEqual([again.lines[0].pieces, again.note], [[1, 2, 3], "deep"]);
    assert.equal(session.advanced.hasChanges(), false);
    await session.delete(entity);
    await session.saveChanges();
    assert.equal(await document(server, name, "orders/1-A"), undefined);
  });
}

onServers(
  "a wrapper of a loaded entity is refused; the error says what to pass instead",
  async (t, server) => {
    const { store, session } = await prepared(t, server);
    await session.store(order(lines()));
    await session.saveChanges();
    const other = store.openSession();
    const shown = reactive([await other.load("orders/1-A")]);
    for (const use of [
      () => other.delete(shown[0]),
      () => other.advanced.refresh(shown[0]),
      async () => other.advanced.patch(shown[0], "note", 1),
    ]) {
      const error = await failure(use());
      assert.equal(error.code, "NonUniqueObject");
      assert.match(error.message, /orders\/1-A.*or the id.*wrapper/);
    }
  },
);

onServers("changes through a framework's wrapper of a loaded entity are detected", async (t, server) => {
  const { name, store, session } = await prepared(t, server);
  await session.store(order(lines()));
  await session.saveChanges();
  const other = store.openSession();
  const raw = await other.load("orders/1-A");
  const shown = reactive(raw);
  shown.lines[0].pieces.push(3);
  shown.extra = reactive({ a: 1 });
  assert.equal(other.advanced.hasChanged(raw), true);
  await other.saveChanges();
  const saved = await document(server, name, "orders/1-A");
  assert.deepEqual([saved.lines[0].pieces, saved.extra], [[1, 2, 3], { a: 1 }]);
});

onServers("storing a proxy of a tracked entity is refused; the error says what to do", async (t, server) => {
  const { session } = await prepared(t, server);
  const raw = order(lines());
  await session.store(raw);
  for (const use of [
    (entity) => session.store(entity),
    (entity) => session.delete(entity),
    (entity) => session.advanced.refresh(entity),
    async (entity) => session.advanced.getMetadataFor(entity),
    async (entity) => session.advanced.getChangeVectorFor(entity),
  ]) {
    const error = await failure(use(reactive(raw)));
    assert.equal(error.name, "NonUniqueObjectException");
    assert.match(error.message, /orders\/1-A/);
    assert.match(error.message, /load\("orders\/1-A"\)/);
  }
  assert.equal(session.advanced.getDocumentId(reactive(raw)), null);
});

onServers("an effect that runs during store can use the session", async (t, server) => {
  const { name, session } = await prepared(t, server);
  const inner = [];
  const late = order({ late: true });
  const entity = reactive(order(lines()), (key) => {
    if (key !== "id" || inner.length > 0) return;
    assert.equal(session.advanced.getDocumentId(entity), "orders/1-A");
    assert.equal(session.advanced.isLoaded("orders/1-A"), true);
    inner.push(session.store(late), session.saveChanges());
  });
  await session.store(entity);
  await Promise.all(inner);
  for (const id of [entity.id, late.id]) assert.ok(await document(server, name, id), id);
});

onServers("effects on every write do not cause repeated saves", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  const saves = [];
  const entity = reactive(order(lines()), () => saves.push(session.saveChanges()));
  await session.store(entity);
  entity.note = 1;
  while (saves.length > 0) await saves.shift();
  assert.ok(wire.of(isSave).length <= 2, String(wire.of(isSave).length));
  assert.equal(session.advanced.hasChanges(), false);
});

onServers("frozen and sealed entities are stored; the session knows their ids", async (t, server) => {
  const { name, session } = await prepared(t, server);
  const frozen = produce(order(), (draft) => {
    draft.n = 1;
  });
  const sealed = Object.seal(order({ n: 2 }));
  const made = Object.freeze(order({ n: 3 }));
  await session.store(frozen);
  await session.store(sealed);
  await session.store(made, "orders/");
  assert.equal("id" in frozen, false);
  assert.equal(session.advanced.getDocumentId(frozen), "orders/1-A");
  await session.store(frozen);
  await session.saveChanges();
  assert.equal((await document(server, name, "orders/1-A")).n, 1);
  assert.equal((await document(server, name, "orders/2-A")).n, 2);
  assert.equal((await document(server, name, session.advanced.getDocumentId(made))).n, 3);
  assert.equal(await document(server, name, "orders/3-A"), undefined);
  assert.equal(session.advanced.hasChanges(), false);
  await session.delete(frozen);
  await session.saveChanges();
  assert.equal(await document(server, name, "orders/1-A"), undefined);
});

onServers(
  "the next state of Immer or React under a tracked id is refused; the error names the fix",
  async (t, server) => {
    const { name, store, session } = await prepared(t, server);
    await session.store(order(lines()));
    await session.saveChanges();
    const other = store.openSession();
    const loaded = await other.load("orders/1-A");
    const next = produce(loaded, (draft) => {
      draft.note = "next";
    });
    for (const copy of [next, { ...loaded, note: "next" }, structuredClone(loaded)]) {
      const error = await failure(other.store(copy));
      assert.equal(error.name, "NonUniqueObjectException");
      for (const part of ["orders/1-A", "change that one", 'load("orders/1-A")', "copy"])
        assert.ok(error.message.includes(part), part);
    }
    assert.equal(other.advanced.hasChanges(), false);
    // The two remedies.
    Object.assign(loaded, { note: next.note });
    await other.saveChanges();
    assert.equal((await document(server, name, "orders/1-A")).note, "next");
    other.advanced.evict(loaded);
    await other.store({ ...loaded, note: "after" });
    await other.saveChanges();
    assert.equal((await document(server, name, "orders/1-A")).note, "after");
  },
);
