// The same live queries over the same documents in three engines. Each page has `begin(documents)`, `query(name)`, which resolves with the
// ids that the live query shows first, `put(id, at)`, which resolves when a change is on the device, and `change(id, at)`, which resolves when
// the live query shows it, too.

const shared = `
  globalThis.shown = undefined;
  let wanted = () => {};
  /** Called by an engine with the ids that the live query shows. */
  globalThis.show = (ids) => {
    globalThis.shown = ids;
    wanted();
  };
  globalThis.until = (fits) =>
    new Promise((resolve) => {
      wanted = () => globalThis.shown && fits(globalThis.shown) && resolve(globalThis.shown);
      wanted();
    });
  globalThis.query = async (name) => {
    globalThis.shown = undefined;
    globalThis.end?.();
    globalThis.end = globalThis.live[name]();
    return (await until(() => true)).slice(0, 3);
  };
  globalThis.change = async (id, at) => {
    const seen = until((ids) => ids[0] === id);
    await Promise.all([globalThis.put(id, at), seen]);
  };
`;

export const NEEDLE = "needle";

export const dexie = `
  import Dexie, { liveQuery } from "dexie";
  ${shared}
  const db = new Dexie("bench");
  db.version(1).stores({ notes: "id, at, [status+at]" });
  globalThis.begin = async (documents) => db.notes.bulkPut(documents);
  const live = (read) => () => {
    const subscription = liveQuery(read).subscribe((rows) => show(rows.map(({ id }) => id)));
    return () => subscription.unsubscribe();
  };
  globalThis.live = {
    newest: live(() =>
      db.notes.where("[status+at]").between(["open", Dexie.minKey], ["open", Dexie.maxKey]).reverse().limit(50).toArray()),
    text: live(() => db.notes.orderBy("at").reverse().filter(({ text }) => text.includes("${NEEDLE}")).limit(50).toArray()),
    all: live(() => db.notes.orderBy("at").reverse().filter(({ text }) => text.includes("${NEEDLE}")).toArray()),
  };
  globalThis.put = (id, at) => db.notes.update(id, { at });
  globalThis.ready = true;
`;

export const rxdb = `
  import { createRxDatabase } from "rxdb/plugins/core";
  import { getRxStorageDexie } from "rxdb/plugins/storage-dexie";
  ${shared}
  const db = await createRxDatabase({ name: "bench", storage: getRxStorageDexie(), multiInstance: false });
  const text = { type: "string", maxLength: 300 };
  await db.addCollections({
    notes: {
      schema: {
        version: 0,
        primaryKey: "id",
        type: "object",
        properties: {
          id: { type: "string", maxLength: 50 },
          status: { type: "string", maxLength: 10 },
          at: { type: "integer", minimum: 0, maximum: 10_000_000, multipleOf: 1 },
          text,
        },
        required: ["id", "status", "at", "text"],
        indexes: ["at", ["status", "at"]],
      },
    },
  });
  globalThis.begin = (documents) => db.notes.bulkInsert(documents);
  const live = (given) => () => {
    const subscription = db.notes.find(given).$.subscribe((rows) => show(rows.map(({ id }) => id)));
    return () => subscription.unsubscribe();
  };
  const sort = [{ at: "desc" }];
  globalThis.live = {
    newest: live({ selector: { status: "open" }, sort, limit: 50 }),
    text: live({ selector: { text: { $regex: "${NEEDLE}" } }, sort, limit: 50 }),
    all: live({ selector: { text: { $regex: "${NEEDLE}" } }, sort }),
  };
  globalThis.put = async (id, at) => (await db.notes.findOne(id).exec()).patch({ at });
  globalThis.ready = true;
`;

/** Live queries of TanStack DB over `notes`. */
const tanstack = `
  const live = (make) => () => {
    const query = createLiveQueryCollection({ query: make, startSync: true });
    const tell = () => query.isReady() && show(query.toArray.map(({ id }) => id));
    const subscription = query.subscribeChanges(tell);
    query.onFirstReady(tell);
    return () => {
      subscription.unsubscribe();
      query.cleanup();
    };
  };
  const newest = (q) => q.from({ note: notes }).orderBy(({ note }) => note.at, "desc");
  const found = (q) => newest(q).where(({ note }) => like(note.text, "%${NEEDLE}%"));
  globalThis.live = {
    newest: live((q) => newest(q).where(({ note }) => eq(note.status, "open")).limit(50)),
    text: live((q) => found(q).limit(50)),
    all: live(found),
  };
`;

/** The least that TanStack DB takes with changes that are on the device: each one is one put in a strict transaction. */
export const byHand = `
  import { BTreeIndex, createCollection, createLiveQueryCollection, eq, like } from "@tanstack/db";
  ${shared}
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = request.oncomplete = () => resolve(request.result);
      request.onerror = request.onabort = () => reject(request.error);
    });
  const opening = indexedDB.open("bench");
  opening.onupgradeneeded = () => opening.result.createObjectStore("notes", { keyPath: "id" });
  const db = await done(opening);
  const put = (documents) => {
    const transaction = db.transaction("notes", "readwrite", { durability: "strict" });
    for (const document of documents) transaction.objectStore("notes").put(document);
    return done(transaction);
  };
  let write;
  const notes = createCollection({
    id: "notes",
    getKey: ({ id }) => id,
    autoIndex: "eager",
    defaultIndexType: BTreeIndex,
    sync: {
      sync({ begin, write: add, commit, markReady }) {
        write = (type, documents) => {
          begin();
          for (const value of documents) add({ type, value });
          commit();
        };
        markReady();
      },
    },
    async onUpdate({ transaction }) {
      const documents = transaction.mutations.map(({ modified }) => modified);
      await put(documents);
      write("update", documents);
    },
  });
  globalThis.begin = async (documents) => {
    await notes.preload();
    await put(documents);
    write("insert", documents);
  };
  ${tanstack}
  globalThis.put = (id, at) => notes.update(id, (draft) => { draft.at = at; }).isPersisted.promise;
  globalThis.ready = true;
`;

export const raven = `
  import { createCollection, createLiveQueryCollection, eq, like } from "@tanstack/db";
  import { DocumentStore } from "raven-edge";
  import { offline } from "raven-edge/offline";
  import { ravenCollectionOptions } from "raven-edge/tanstack-db";
  ${shared}
  let notes;
  globalThis.begin = async (base) => {
    const sets = { notes: { collection: "Notes" } };
    globalThis.store = new DocumentStore("/raven", base, { offline: offline({ user: "ann", sets, automatic: false }) }).initialize();
    store.named({});
    const set = store.offline.set("notes");
    await set.sync();
    notes = createCollection(ravenCollectionOptions({ store, set: "notes", collection: "Notes" }));
    await notes.preload();
  };
  ${tanstack}
  globalThis.put = (id, at) => notes.update(id, (draft) => { draft.at = at; }).when("settled");
  /** A change that a session makes, without rows. */
  globalThis.queue = async (id, at) => {
    const session = store.openSession({ offline: "only" });
    const note = await session.load(id);
    note.at = at;
    await session.queueChanges();
  };
  globalThis.send = async (id, at) => {
    await change(id, at);
    await store.offline.flush();
  };
  globalThis.sync = () => store.offline.set("notes").sync();
  globalThis.ready = true;
`;
