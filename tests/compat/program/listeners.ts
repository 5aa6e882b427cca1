// Listeners of a session: the members of each event object, and what they may do with its session.
import { DeleteCommandData } from "client";
import { area, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

/** The members that a client promises: own ones and those of the class, without its private ones. */
const members = (event: object) => {
  const names = new Set<string>();
  for (let at = event; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return [...names].filter((name) => !name.startsWith("_") && name !== "constructor").sort();
};

export default area({
  members: async ({ open, observe, server }) => {
    await server.put("l/1", { name: "a" }, "MyUsers");
    await server.put("l/2", { name: "a" }, "MyUsers");
    const store = open();
    const seen: Record<string, string[]> = {};
    const names = ["beforeStore", "afterSaveChanges", "beforeDelete", "sessionDisposing"] as const;
    for (const name of names)
      store.addSessionListener(name as "beforeStore", (e) => {
        seen[name] = members(e);
      });
    const conversions = [
      "beforeConversionToDocument",
      "afterConversionToDocument",
      "beforeConversionToEntity",
      "afterConversionToEntity",
    ] as const;
    for (const name of conversions)
      store.addSessionListener(name as "beforeConversionToDocument", (e) => {
        seen[name] = members(e);
      });
    store.on("sessionCreated", (e) => {
      seen.sessionCreated = members(e);
    });
    const session = store.openSession();
    const one = (await session.load("l/1")) as Any;
    one.name = "b";
    await session.delete((await session.load("l/2")) as object);
    await session.saveChanges();
    session.dispose();
    for (const name of Object.keys(seen).sort()) observe(name, seen[name]);
  },

  "the session of an event": async ({ open, observe, server }) => {
    await server.put("l/3", { name: "a" }, "MyUsers");
    const session = open().openSession();
    let seen: unknown;
    session.advanced.on("beforeStore", (e) => {
      const entity = e.getEntity();
      const metadata = e.session.getMetadataFor(entity) as Any;
      metadata.Seen = true;
      seen = [
        e.session.getDocumentId(entity),
        e.session.hasChanged(entity),
        e.session.isLoaded("l/3"),
        metadata === e.getDocumentMetadata(),
        e.session.numberOfRequests,
        e.session.conventions.identityPartsSeparator,
      ];
    });
    const entity = (await session.load("l/3")) as Any;
    entity.name = "b";
    await session.saveChanges();
    observe("has what advanced has", seen);
    observe("its metadata are saved", (await server.document("l/3"))["@metadata"].Seen);
  },

  "the class that a load names": async ({ open, observe, server }) => {
    await server.put("l/4", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const seen: unknown[] = [];
    session.advanced.on("beforeConversionToEntity", (e) => seen.push((e as Any).type?.name));
    await session.load("l/4", MyUser);
    observe("type", seen);
  },

  "a deletion by id": async ({ open, observe, server }) => {
    await server.put("l/5", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const seen: unknown[] = [];
    for (const event of ["beforeDelete"] as const)
      session.advanced.on(event, (e) => {
        seen.push([e.documentId, e.entity, members(e)]);
      });
    session.advanced.defer(new DeleteCommandData("l/5", null as unknown as string));
    await session.saveChanges();
    observe("its event", seen);
    let failed: unknown;
    session.advanced.on("beforeDelete", (e) => {
      failed = outcome(() => e.documentMetadata);
    });
    await session.delete("l/6");
    await session.saveChanges();
    observe("has no metadata", await failed);
  },

  once: async ({ open, observe }) => {
    const session = open().openSession();
    const log: string[] = [];
    const { advanced } = session as Any;
    advanced.once("beforeStore", () => log.push("once"));
    const removed = () => log.push("removed");
    advanced.once("beforeStore", removed);
    advanced.removeListener("beforeStore", removed);
    const user = new MyUser("a");
    await session.store(user, "l/once");
    await session.saveChanges();
    user.name = "b";
    await session.saveChanges();
    observe("is told once", log);
  },

  emit: async ({ open, observe }) => {
    const { advanced } = open().openSession();
    const seen: unknown[] = [];
    advanced.on("beforeStore", (e) => seen.push(e.documentId));
    observe("it has listeners", (advanced as Any).emit("beforeStore", { documentId: "mine" }));
    observe("they hear it", seen);
    observe("without listeners", (advanced as Any).emit("afterSaveChanges", { documentId: "mine" }));
  },

  "a change before the conversion to a document": async ({ open, observe, server }) => {
    await server.put("l/conv", { name: "a" }, "MyUsers");
    const session = open().openSession();
    session.advanced.on("beforeConversionToDocument", (e) => {
      (e.entity as Any).upper = (e.entity as Any).name.toUpperCase();
    });
    const entity = (await session.load("l/conv")) as Any;
    entity.name = "b";
    await session.saveChanges();
    observe("is saved", await server.fields("l/conv"));
    const vector = await server.vector("l/conv");
    await session.saveChanges();
    await session.saveChanges();
    observe("once", (await server.vector("l/conv")) === vector);
    observe("requests", session.advanced.numberOfRequests);
    observe("nothing is left", session.advanced.hasChanges());
    const timed = Object.assign(new MyUser("t"), { at: new Date(0) });
    await session.store(timed, "l/timed");
    await session.saveChanges();
    observe("of a new one with a date", ((await server.fields("l/timed")) as Any).upper);
    const second = await server.vector("l/timed");
    await session.saveChanges();
    observe("once, too", (await server.vector("l/timed")) === second);
  },

  "… of what has not changed": async ({ open, observe, server }) => {
    await server.put("l/quiet", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const log: unknown[] = [];
    await session.load("l/quiet");
    session.advanced.on("beforeConversionToDocument", (e) => {
      log.push(e.id);
      (e.entity as Any).upper = (e.entity as Any).name.toUpperCase();
    });
    await session.saveChanges();
    observe("is saved", await server.fields("l/quiet"));
    observe("is told", log.length > 0);
    await session.saveChanges();
    observe("requests", session.advanced.numberOfRequests);
  },

  "a document changed behind the conversion": async ({ open, observe, better, server }) => {
    await server.put("l/after", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const entity = (await session.load("l/after")) as Any;
    session.advanced.on("afterConversionToDocument", (e) => {
      (e.document.value as Any).stamp = "added";
    });
    await session.saveChanges();
    better("of what has not changed", await server.fields("l/after"), {
      ravendb: { name: "a", stamp: "added" },
      edge: { name: "a" },
    });
    entity.name = "b";
    await session.saveChanges();
    observe("of what has", await server.fields("l/after"));
    const requests = session.advanced.numberOfRequests;
    await session.saveChanges();
    observe("is not sent again", session.advanced.numberOfRequests - requests);
  },

  "an entity that is changed with its document": async ({ open, observe, server }) => {
    const session = open().openSession();
    const entity = Object.assign(new MyUser("a"), { at: new Date(0), old: 1, alone: 0 }) as Any;
    let count = 0;
    session.advanced.on("afterConversionToDocument", (e) => {
      const document = e.document.value as Any;
      for (const one of [e.entity as Any, document]) {
        one.stamp ??= { n: ["added"] };
        delete one.old;
      }
      document.more = "of the document alone";
      count += 1;
    });
    await session.store(entity, "l/alike");
    await session.saveChanges();
    const requests = () => session.advanced.numberOfRequests;
    const before = requests();
    observe("is not sent again", [await session.saveChanges(), requests() - before]);
    observe("stored", await server.fields("l/alike"));
    entity.stamp.n.push("later");
    observe("a change of that", session.advanced.hasChanged(entity));
    await session.saveChanges();
    observe("is sent", requests() - before);
    entity.alone = 1;
    await session.saveChanges();
    observe("also another one", [requests() - before, ((await server.fields("l/alike")) as Any).alone]);
    observe("the listener was called", count > 0);
  },

  "an entity alone that is changed behind its document": async ({ open, observe, server }) => {
    const session = open().openSession();
    const entity = new MyUser("a") as Any;
    session.advanced.on("afterConversionToDocument", (e) => {
      (e.entity as Any).seen = true;
    });
    await session.store(entity, "l/behind");
    await session.saveChanges();
    observe("is sent by the next save", session.advanced.hasChanged(entity));
    await session.saveChanges();
    observe("stored", await server.fields("l/behind"));
    const requests = session.advanced.numberOfRequests;
    await session.saveChanges();
    observe("and not by another one", session.advanced.numberOfRequests - requests);
  },
});
