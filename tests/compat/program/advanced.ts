// The members of session.advanced, one by one.
import { area, fails, failure, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

export default area({
  evict: async ({ open, observe, server }) => {
    await server.put("a/1", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("a/1")) as Any;
    user.name = "changed";
    observe("returns", session.advanced.evict<MyUser>(user));
    observe("isLoaded", session.advanced.isLoaded("a/1"));
    observe("getDocumentId", session.advanced.getDocumentId(user));
    observe("no changes", session.advanced.hasChanges());
    await session.saveChanges();
    observe("nothing is saved", await server.fields("a/1"));
    const again = (await session.load("a/1")) as Any;
    observe("load asks again", [again === user, again.name, session.advanced.numberOfRequests]);
    session.advanced.evict({});
    const fresh = new MyUser("new");
    await session.store(fresh, "a/new");
    session.advanced.evict(fresh);
    await session.saveChanges();
    observe("a new one is not saved", await server.document("a/new"));
    observe("and can be stored again", await outcome(() => session.store(fresh)));
    await session.saveChanges();
    observe("then it is saved", await server.fields("a/new"));
  },

  "evict a deleted one": async ({ open, observe, better, server }) => {
    await server.put("a/2", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("a/2")) as Any;
    await session.delete(user);
    session.advanced.evict(user);
    observe("nothing to save", session.advanced.hasChanges());
    const loaded = (await session.load("a/2")) as Any;
    better("load finds the document", loaded?.name ?? null, { ravendb: null, edge: "a" });
    await session.saveChanges();
    observe("it stays", await server.fields("a/2"));
  },

  clear: async ({ open, observe, server }) => {
    await server.put("a/3", { name: "a" }, "MyUsers");
    await server.put("a/4", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("a/3")) as Any;
    user.name = "changed";
    await session.store(new MyUser("new"), "a/cleared");
    await session.delete("a/4");
    await session.load("a/none");
    session.advanced.clear();
    observe("no changes", session.advanced.hasChanges());
    observe("isLoaded", [session.advanced.isLoaded("a/3"), session.advanced.isLoaded("a/none")]);
    observe("getDocumentId", session.advanced.getDocumentId(user));
    await session.saveChanges();
    observe("nothing is saved", [
      await server.fields("a/3"),
      await server.fields("a/4"),
      await server.document("a/cleared"),
    ]);
    observe("load asks again", ((await session.load("a/4")) as Any)?.name);
    observe("requests are still counted", session.advanced.numberOfRequests);
  },

  refresh: async ({ open, observe, better, server }) => {
    await server.put("a/5", { name: "a", gone: 1, list: [1] }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("a/5")) as Any;
    await server.put("a/5", { name: "theirs", list: [1, 2], more: true }, "MyUsers");
    user.name = "mine";
    observe("returns", await session.advanced.refresh<MyUser>(user));
    observe("theirs is here", [user.name, user.list, user.more]);
    better("fields that are gone there are gone here", "gone" in user, { ravendb: true, edge: false });
    better("no changes", session.advanced.hasChanges(), { ravendb: true, edge: false });
    observe(
      "the change vector is theirs",
      session.advanced.getChangeVectorFor<MyUser>(user) === (await server.vector("a/5")),
    );
    observe("the same object", (await session.load("a/5")) === user);
    observe("requests", session.advanced.numberOfRequests);
    user.name = "after";
    await session.saveChanges();
    observe("and saves", ((await server.fields("a/5")) as Any).name);
    observe("an entity of nobody", await outcome(() => session.advanced.refresh({})));
    const fresh = new MyUser("new");
    await session.store(fresh, "a/unsaved");
    const unsaved = await outcome(() => session.advanced.refresh(fresh));
    better("a new one that is not saved", unsaved, {
      ravendb: fails("TypeError"),
      edge: fails("InvalidOperationException"),
    });
  },

  "refresh a deleted document": async ({ open, better, observe, server }) => {
    await server.put("a/6", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("a/6")) as Any;
    await server.delete("a/6");
    better("says so", await failure(() => session.advanced.refresh(user), "a/6"), {
      ravendb: { error: "TypeError", mentions: false },
      edge: { error: "InvalidOperationException", mentions: true },
    });
    observe("the entity keeps its values", user.name);
  },

  "refresh several": async ({ open, observe, server }) => {
    for (const n of [1, 2]) await server.put(`r/${n}`, { n }, "MyUsers");
    const session = open().openSession();
    const both = (await session.load(["r/1", "r/2"])) as Any;
    for (const n of [1, 2]) await server.put(`r/${n}`, { n: n * 10 }, "MyUsers");
    await session.advanced.refresh([both["r/1"], both["r/2"]]);
    observe("both", [both["r/1"].n, both["r/2"].n]);
    observe("one request", session.advanced.numberOfRequests);
    await server.delete("r/2");
    observe("one of them is gone", await outcome(() => session.advanced.refresh([both["r/1"], both["r/2"]])));
  },

  ignoreChangesFor: async ({ open, observe, server }) => {
    await server.put("a/7", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("a/7")) as Any;
    session.advanced.ignoreChangesFor(user);
    user.name = "changed";
    await session.saveChanges();
    observe("is not saved", await server.fields("a/7"));
    observe("it is still loaded", (await session.load("a/7")) === user);
    observe("an entity of nobody", await outcome(() => session.advanced.ignoreChangesFor({})));
    await session.delete(user);
    await session.saveChanges();
    observe("it can be deleted", await server.document("a/7"));
  },

  isLoaded: async ({ open, observe, server }) => {
    await server.put("a/8", { name: "a" }, "MyUsers");
    const { advanced, ...session } = { advanced: open().openSession().advanced };
    observe("at first", [advanced.isLoaded("a/8"), Object.keys(session)]);
    const other = open().openSession();
    await other.load("a/8");
    observe("loaded", [other.advanced.isLoaded("a/8"), other.advanced.isLoaded("A/8")]);
    await other.delete("a/none");
    observe("deleted by id without a load", other.advanced.isLoaded("a/none"));
  },

  getTrackedEntities: async ({ open, observe, server }) => {
    await server.put("t/1", { name: "a" }, "MyUsers");
    await server.put("t/2", { name: "b" }, "MyUsers");
    const session = open().openSession();
    const told = () =>
      [...session.advanced.getTrackedEntities()].map(([id, info]) => [
        id,
        info.id,
        (info.entity as Any)?.name,
        info.isDeleted,
      ]);
    observe("none", told());
    await session.load(["t/1", "t/2", "t/none"]);
    await session.store(new MyUser("new"), "t/new");
    observe("loaded, new, missing", told());
    await session.delete((await session.load("t/2")) as object);
    await session.delete("t/1");
    observe("deleted", told());
    await session.saveChanges();
    observe("after saving", told());
    observe("in other letter case", session.advanced.getTrackedEntities().get("T/NEW")?.id);
  },

  "saving twice": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("a");
    await session.store(user, "a/twice");
    await Promise.all([session.saveChanges()]);
    await session.saveChanges();
    observe("requests", session.advanced.numberOfRequests);
    for (const name of ["b", "c", "d"]) {
      user.name = name;
      await session.saveChanges();
    }
    observe("one request a change", session.advanced.numberOfRequests);
    observe("the last", await server.fields("a/twice"));
  },

  "waiting after saving": async ({ open, observe, server }) => {
    const session = open().openSession();
    await session.store(new MyUser("a"), "a/indexes");
    observe(
      "waitForIndexesAfterSaveChanges",
      session.advanced.waitForIndexesAfterSaveChanges({ timeout: 5_000, throwOnTimeout: true }),
    );
    observe("saving", await outcome(() => session.saveChanges()));
    const other = open().openSession();
    await other.store(new MyUser("a"), "a/replicas");
    other.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 1_000, throwOnTimeout: false });
    observe("waitForReplicationAfterSaveChanges, no throw", await outcome(() => other.saveChanges()));
    observe("it is there", await server.fields("a/replicas"));
    const late = open().openSession();
    const user = new MyUser("late");
    await late.store(user, "a/late");
    late.advanced.waitForReplicationAfterSaveChanges({ replicas: 3, timeout: 1_000, throwOnTimeout: true });
    const saved = await outcome(() => late.saveChanges());
    observe("replicas that are not there", saved);
    observe("the document is committed all the same", await server.fields("a/late"));
  },

  "what is at hand": async ({ open, observe, server }) => {
    const store = open();
    const session = store.openSession();
    observe("documentStore", session.advanced.documentStore === (store as unknown));
    observe("transactionMode", session.advanced.transactionMode ?? "SingleNode");
    observe("another database", await outcome(() => store.openSession("no such database").load("a/1")));
    observe("openSession with options", typeof store.openSession({ database: server.database }).load);
    observe("store.database", store.database === server.database);
    observe("store.urls", store.urls.length);
  },
});
