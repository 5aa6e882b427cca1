// Two clients write the same document: change vectors, conflicts, and the session afterwards.
import { area, failure, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

export default area({
  "the last writer wins": async ({ open, observe, server }) => {
    await server.put("c/1", { name: "a" }, "MyUsers");
    const [one, two] = [open().openSession(), open().openSession()];
    const mine = (await one.load("c/1")) as Any;
    const theirs = (await two.load("c/1")) as Any;
    theirs.name = "theirs";
    await two.saveChanges();
    mine.name = "mine";
    observe("by default", await outcome(() => one.saveChanges()));
    observe("what is there", await server.fields("c/1"));
    observe("useOptimisticConcurrency", one.advanced.useOptimisticConcurrency);
  },

  "optimistic concurrency": async ({ open, observe, server }) => {
    await server.put("c/2", { name: "a" }, "MyUsers");
    await server.put("c/other", { name: "a" }, "MyUsers");
    const session = open().openSession();
    session.advanced.useOptimisticConcurrency = true;
    const mine = (await session.load("c/2")) as Any;
    const other = (await session.load("c/other")) as Any;
    const vector = session.advanced.getChangeVectorFor(mine);
    await server.put("c/2", { name: "theirs" }, "MyUsers");
    mine.name = "mine";
    other.name = "mine";
    const fresh = new MyUser("fresh");
    await session.store(fresh, "c/fresh");
    observe("saving", await failure(() => session.saveChanges(), "c/2"));
    observe("theirs stays", await server.fields("c/2"));
    observe("nothing of the batch is there", [
      await server.fields("c/other"),
      await server.fields("c/fresh"),
    ]);
    observe("the session has its values", [mine.name, other.name, fresh.id]);
    observe("its change vector", session.advanced.getChangeVectorFor(mine) === vector);
    observe("its changes", Object.keys(session.advanced.whatChanged()).sort());
    observe("saving again fails again", await failure(() => session.saveChanges(), "c/2"));
    await session.advanced.refresh(mine);
    observe("refresh gives theirs", mine.name);
    mine.name = "after all";
    observe("then it saves", await outcome(() => session.saveChanges()));
    observe("all", [
      await server.fields("c/2"),
      await server.fields("c/other"),
      await server.fields("c/fresh"),
    ]);
    mine.name = "once more";
    observe("and again, with the new vector", await outcome(() => session.saveChanges()));
  },

  "new documents": async ({ open, observe, server }) => {
    await server.put("c/there", { name: "theirs" }, "MyUsers");
    const session = open().openSession();
    session.advanced.useOptimisticConcurrency = true;
    const mine = new MyUser("mine");
    await session.store(mine, "c/there");
    observe("an existing id", await failure(() => session.saveChanges(), "c/there"));
    observe("theirs stays", await server.fields("c/there"));
    session.advanced.evict(mine);
    await session.store(new MyUser("new"), "c/not there");
    observe("one that does not", await outcome(() => session.saveChanges()));
    const forced = open().openSession();
    await forced.store(new MyUser("x"), "c/there", { changeVector: "" });
    observe(
      "store with an empty vector: must not exist",
      await failure(() => forced.saveChanges(), "c/there"),
    );
  },

  "store with a change vector": async ({ open, observe, server }) => {
    await server.put("c/3", { name: "a" }, "MyUsers");
    const old = (await server.vector("c/3")) as string;
    await server.put("c/3", { name: "b" }, "MyUsers");
    const present = (await server.vector("c/3")) as string;
    const stale = open().openSession();
    await stale.store(new MyUser("mine"), "c/3", { changeVector: old });
    observe("an old one", await failure(() => stale.saveChanges(), "c/3"));
    const good = open().openSession();
    const mine = new MyUser("mine");
    await good.store(mine, "c/3", { changeVector: present });
    observe("the present one", await outcome(() => good.saveChanges()));
    observe("what is there", await server.fields("c/3"));
    const off = open().openSession();
    off.advanced.useOptimisticConcurrency = true;
    await off.store(new MyUser("forced"), "c/3", { changeVector: null as unknown as string });
    observe("null: no check, whatever the session says", await outcome(() => off.saveChanges()));
    observe("it is there", await server.fields("c/3"));
    const again = open().openSession();
    const loaded = (await again.load("c/3")) as Any;
    await again.store(loaded, "c/3", { changeVector: old });
    loaded.name = "late";
    observe("given to a tracked entity", await failure(() => again.saveChanges(), "c/3"));
  },

  deleting: async ({ open, observe, server }) => {
    await server.put("c/4", { name: "a" }, "MyUsers");
    const session = open().openSession();
    session.advanced.useOptimisticConcurrency = true;
    const mine = (await session.load("c/4")) as Any;
    await server.put("c/4", { name: "theirs" }, "MyUsers");
    await session.delete(mine);
    observe("what changed meanwhile", await failure(() => session.saveChanges(), "c/4"));
    observe("it stays", await server.fields("c/4"));
    observe("the session still wants to delete", [session.advanced.hasChanges(), await session.load("c/4")]);
    const other = open().openSession();
    other.advanced.useOptimisticConcurrency = true;
    await other.load("c/4");
    await server.put("c/4", { name: "theirs again" }, "MyUsers");
    await other.delete("c/4");
    observe("by id", await failure(() => other.saveChanges(), "c/4"));
    const gone = open().openSession();
    gone.advanced.useOptimisticConcurrency = true;
    const entity = (await gone.load("c/4")) as Any;
    await server.delete("c/4");
    entity.name = "x";
    observe("changing what was deleted meanwhile", await failure(() => gone.saveChanges(), "c/4"));
  },

  "by convention and option": async ({ open, observe, server }) => {
    await server.put("c/5", { name: "a" }, "MyUsers");
    const store = open((conventions) => conventions.setUseOptimisticConcurrency(true));
    const session = store.openSession();
    observe("setUseOptimisticConcurrency", session.advanced.useOptimisticConcurrency);
    const mine = (await session.load("c/5")) as Any;
    await server.put("c/5", { name: "theirs" }, "MyUsers");
    mine.name = "mine";
    observe("saving", await outcome(() => session.saveChanges()));
    const off = store.openSession();
    off.advanced.useOptimisticConcurrency = false;
    const other = (await off.load("c/5")) as Any;
    await server.put("c/5", { name: "theirs" }, "MyUsers");
    other.name = "mine";
    observe("switched off in a session", await outcome(() => off.saveChanges()));
  },

  "the mode and the switch of conventions": async ({ observe, open }) => {
    type Set = (conventions: Any) => void;
    const mode = (value: string) => (conventions: Any) => {
      conventions.optimisticConcurrencyMode = value;
    };
    const use = (value: boolean) => (conventions: Any) => {
      conventions.useOptimisticConcurrency = value;
    };
    const set = (value: boolean) => (conventions: Any) => conventions.setUseOptimisticConcurrency(value);
    const cases: Record<string, Set[]> = {
      "the switch after the mode": [mode("WritesAndReads"), use(true)],
      "the mode after the switch": [use(true), mode("WritesAndReads")],
      "the same of both": [mode("Writes"), use(true)],
      "none of both": [use(false), mode("None")],
      "the method after the mode": [mode("Writes"), set(false)],
      "the mode after the method": [set(true), mode("Writes")],
      "the mode twice": [mode("Writes"), mode("WritesAndReads")],
      "the switch, then the method": [use(true), set(false)],
    };
    for (const [name, calls] of Object.entries(cases)) {
      const seen: unknown[] = [];
      const store = open((conventions) => {
        for (const call of calls) {
          try {
            call(conventions);
          } catch (error) {
            seen.push((error as Error).name);
          }
        }
        seen.push(conventions.optimisticConcurrencyMode, conventions.useOptimisticConcurrency);
        seen.push(conventions.isUseOptimisticConcurrency());
      });
      const { advanced } = store.openSession();
      observe(name, [...seen, advanced.optimisticConcurrencyMode, advanced.useOptimisticConcurrency]);
    }
  },

  "the mode and the switch of a session": async ({ observe, open, server }) => {
    const cases: Record<string, (advanced: Any) => void> = {
      "the mode, switched off": (advanced) => {
        advanced.optimisticConcurrencyMode = "Writes";
        advanced.useOptimisticConcurrency = false;
      },
      "reads, writes switched off": (advanced) => {
        advanced.optimisticConcurrencyMode = "WritesAndReads";
        advanced.useOptimisticConcurrency = false;
      },
      "reads, switched on": (advanced) => {
        advanced.optimisticConcurrencyMode = "WritesAndReads";
        advanced.useOptimisticConcurrency = true;
      },
      "no mode, switched on": (advanced) => {
        advanced.useOptimisticConcurrency = true;
      },
      "switched on, then no mode": (advanced) => {
        advanced.useOptimisticConcurrency = true;
        advanced.optimisticConcurrencyMode = "None";
      },
    };
    for (const [name, change] of Object.entries(cases)) {
      await server.put("c/written", { name: "a" }, "MyUsers");
      await server.put("c/read", { name: "a" }, "MyUsers");
      const store = open();
      for (const changed of ["c/written", "c/read"]) {
        const session = store.openSession();
        change(session.advanced);
        const written = (await session.load("c/written")) as Any;
        await session.load("c/read");
        await server.put(changed, { name: `theirs ${name}` }, "MyUsers");
        written.name = "mine";
        observe(`${name}: another client changes ${changed}`, await failure(() => session.saveChanges()));
        observe(`${name}: ${changed}, both members`, [
          session.advanced.optimisticConcurrencyMode,
          session.advanced.useOptimisticConcurrency,
        ]);
      }
    }
    await server.put("c/option", { name: "a" }, "MyUsers");
    const session = open().openSession({ optimisticConcurrencyMode: "Writes" });
    session.advanced.useOptimisticConcurrency = false;
    const mine = (await session.load("c/option")) as Any;
    await server.put("c/option", { name: "theirs" }, "MyUsers");
    mine.name = "mine";
    observe("the option, switched off", await failure(() => session.saveChanges()));
    observe("the mode of the option stays", session.advanced.optimisticConcurrencyMode);
  },

  "both create the same": async ({ open, observe, server }) => {
    const [one, two] = [open().openSession(), open().openSession()];
    two.advanced.useOptimisticConcurrency = true;
    await one.store(new MyUser("one"), "c/same");
    const second = new MyUser("two");
    await two.store(second, "C/SAME");
    await one.saveChanges();
    observe("the second, in other letter case", await outcome(() => two.saveChanges()));
    observe("the first stays", await server.fields("c/same"));
    observe("the entity keeps its id", second.id);
  },

  "the collection of an existing document": async ({ open, observe, server }) => {
    await server.put("c/mismatch", { name: "a" }, "Others");
    const session = open().openSession();
    const user = new MyUser("mine");
    await session.store(user, "c/mismatch");
    observe("cannot change", await outcome(() => session.saveChanges()));
    observe("it stays", await server.fields("c/mismatch"));
    session.advanced.evict(user);
    observe("evicted, the session saves on", await outcome(() => session.saveChanges()));
  },

  "large numbers": async ({ open, better, observe, server }) => {
    await server.send(
      "PUT",
      "/docs?id=c/big",
      '{"name":"a","deep":{"big":9007199254740993},"@metadata":{"@collection":"Bigs"}}',
    );
    const session = open().openSession();
    const entity = (await session.load("c/big")) as Any;
    entity.name = "b";
    better("saving a change beside them", await failure(() => session.saveChanges(), "deep.big"), {
      ravendb: { succeeded: undefined },
      edge: { error: "InvalidOperationException", mentions: true },
    });
    const text = await (await server.send("GET", "/docs?id=c/big")).text();
    better("the digits are there", text.includes("9007199254740993"), { ravendb: false, edge: true });
    observe("the document is", text.includes('"deep"'));
  },
});
