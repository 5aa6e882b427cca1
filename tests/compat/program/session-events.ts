// Events of a session: which, in which order, and what their listeners may do.
import { area, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

export default area({
  order: async ({ open, observe, server }) => {
    await server.put("e/1", { name: "a" }, "MyUsers");
    await server.put("e/2", { name: "b" }, "MyUsers");
    const store = open();
    const log: string[] = [];
    store.addSessionListener("beforeStore", (e) => log.push(`beforeStore ${e.documentId}`));
    store.addSessionListener("afterSaveChanges", (e) => log.push(`afterSaveChanges ${e.documentId}`));
    store.addSessionListener("beforeDelete", (e) => log.push(`beforeDelete ${e.documentId}`));
    const session = store.openSession();
    const one = (await session.load("e/1")) as Any;
    const two = (await session.load("e/2")) as Any;
    const fresh = new MyUser("new");
    await session.store(fresh, "e/new");
    observe("nothing yet", log.splice(0));
    one.name = "changed";
    await session.delete(two);
    observe("nothing at delete", log.splice(0));
    await session.saveChanges();
    observe("a save", log.splice(0));
    await session.saveChanges();
    observe("nothing to save", log.splice(0));
    await session.delete("e/1");
    await session.saveChanges();
    observe("delete by id tells, too", log.splice(0));
    fresh.name = "again";
    await session.saveChanges();
    observe("a second change", log.splice(0));
  },

  "on the session": async ({ open, observe }) => {
    const session = open().openSession();
    const log: string[] = [];
    const listener = (e: { documentId: string }) => log.push(e.documentId);
    observe("on returns the session's emitter", session.advanced.on("beforeStore", listener) !== undefined);
    await session.store(new MyUser("a"), "e/on");
    await session.saveChanges();
    observe("called", log.splice(0));
    session.advanced.removeListener("beforeStore", listener);
    await session.store(new MyUser("b"), "e/off");
    await session.saveChanges();
    observe("removed", log.splice(0));
  },

  "adding and removing on the store": async ({ open, observe }) => {
    const store = open();
    const log: string[] = [];
    const listener = () => log.push("called");
    const early = store.openSession();
    observe("returns the store", store.addSessionListener("beforeStore", listener) === store);
    await early.store(new MyUser("a"), "e/early");
    await early.saveChanges();
    observe("a session opened before hears nothing", log.splice(0));
    const later = store.openSession();
    store.removeSessionListener("beforeStore", listener);
    await later.store(new MyUser("a"), "e/later");
    await later.saveChanges();
    observe("a session opened before the removal still hears", log.splice(0));
    const last = store.openSession();
    await last.store(new MyUser("a"), "e/last");
    await last.saveChanges();
    observe("one opened after does not", log.splice(0));
  },

  beforeStore: async ({ open, observe, server }) => {
    const store = open();
    const seen: unknown[] = [];
    store.addSessionListener("beforeStore", (e) => {
      const entity = e.getEntity() as MyUser;
      seen.push([
        e.documentId,
        entity instanceof MyUser,
        e.session === (session as unknown),
        e.isMetadataAccessed(),
      ]);
      entity.name = `${entity.name}!`;
      e.getDocumentMetadata().Stamp = "stamped";
    });
    const session = store.openSession();
    const user = new MyUser("a");
    await session.store(user, "e/before");
    await session.saveChanges();
    observe("its argument", seen.splice(0));
    observe("what it changes is saved", await server.fields("e/before"));
    observe("metadata, too", (await server.document("e/before"))["@metadata"].Stamp);
    observe("nothing is left to save", session.advanced.hasChanges());
    user.name = "b";
    await session.saveChanges();
    observe("at a change", [seen.length, await server.fields("e/before")]);
  },

  "beforeStore with a HiLo id and an identity": async ({ open, observe }) => {
    const session = open().openSession();
    const log: string[] = [];
    session.advanced.on("beforeStore", (e) => log.push(`before ${e.documentId}`));
    session.advanced.on("afterSaveChanges", (e) => log.push(`after ${e.documentId}`));
    await session.store(new MyUser("hilo"));
    await session.store(new MyUser("identity"), "eusers|");
    await session.saveChanges();
    observe("ids", log);
  },

  "listeners that throw": async ({ open, observe, server }) => {
    const store = open();
    let angry = true;
    store.addSessionListener("beforeStore", (e) => {
      if (angry && e.documentId === "e/throw2") throw new RangeError("no");
    });
    const session = store.openSession();
    await session.store(new MyUser("a"), "e/throw1");
    await session.store(new MyUser("b"), "e/throw2");
    observe("the save fails with it", await outcome(() => session.saveChanges()));
    observe("nothing is sent", [await server.document("e/throw1"), session.advanced.numberOfRequests]);
    observe("changes are kept", session.advanced.hasChanges());
    angry = false;
    observe("then it saves", await outcome(() => session.saveChanges()));
    observe("both", [await server.fields("e/throw1"), await server.fields("e/throw2")]);
    const deleting = open().openSession();
    deleting.advanced.on("beforeDelete", () => {
      throw new RangeError("no");
    });
    await deleting.delete((await deleting.load("e/throw1")) as object);
    observe("in beforeDelete", await outcome(() => deleting.saveChanges()));
    observe("it stays", (await server.document("e/throw1")) !== undefined);
    const after = open().openSession();
    after.advanced.on("afterSaveChanges", () => {
      throw new RangeError("no");
    });
    await after.store(new MyUser("c"), "e/throw3");
    observe("in afterSaveChanges", await outcome(() => after.saveChanges()));
    observe("it was saved", await server.fields("e/throw3"));
  },

  afterSaveChanges: async ({ open, observe, server }) => {
    const store = open();
    const seen: unknown[] = [];
    store.addSessionListener("afterSaveChanges", (e) => {
      seen.push([e.documentId, (e.entity as MyUser).name, e.documentMetadata["@collection"]]);
    });
    const session = store.openSession();
    await session.store(new MyUser("a"), "e/after");
    await session.saveChanges();
    observe("its argument", seen.splice(0));
    await server.put("e/conflict", { name: "theirs" }, "MyUsers");
    session.advanced.useOptimisticConcurrency = true;
    await session.store(new MyUser("mine"), "e/conflict");
    await outcome(() => session.saveChanges());
    observe("not after a failed save", seen);
  },

  beforeDelete: async ({ open, observe, server }) => {
    await server.put("e/delete", { name: "a" }, "MyUsers");
    const store = open();
    const seen: unknown[] = [];
    store.addSessionListener("beforeDelete", (e) => {
      seen.push([e.documentId, (e.entity as MyUser).name, e.documentMetadata["@collection"]]);
    });
    const session = store.openSession();
    await session.delete((await session.load("e/delete")) as object);
    await session.saveChanges();
    observe("its argument", seen);
  },

  "store within beforeStore": async ({ open, observe, server }) => {
    const session = open().openSession();
    const log: string[] = [];
    let work: Promise<void> | undefined;
    session.advanced.on("beforeStore", (e) => {
      log.push(e.documentId);
      if (e.documentId === "e/outer") work = session.store(new MyUser("inner"), "e/inner");
    });
    await session.store(new MyUser("outer"), "e/outer");
    await session.saveChanges();
    observe("both are in the same save", [await server.fields("e/outer"), await server.fields("e/inner")]);
    observe("nothing left", session.advanced.hasChanges());
    await work;
    await session.saveChanges();
    observe("each was told once", log);
  },

  "delete within beforeStore": async ({ open, observe, server }) => {
    await server.put("e/goes", { name: "old" }, "MyUsers");
    const session = open().openSession();
    let work: Promise<void> | undefined;
    session.advanced.on("beforeStore", () => {
      work = session.delete("e/goes");
    });
    await session.store(new MyUser("comes"), "e/comes");
    await session.saveChanges();
    observe("is in the same save", [await server.fields("e/comes"), await server.fields("e/goes")]);
    await work;
    observe("nothing left", session.advanced.hasChanges());
  },

  sessions: async ({ open, observe }) => {
    const store = open();
    const log: string[] = [];
    store.on("sessionCreated", ({ session }) => log.push(`created ${typeof session}`));
    store.addSessionListener("sessionDisposing", ({ session }) => log.push(`disposing ${typeof session}`));
    const session = store.openSession();
    observe("sessionCreated", log.splice(0));
    session.dispose();
    observe("sessionDisposing", log.splice(0));
    session.dispose();
    observe("once", log.splice(0));
  },
});
