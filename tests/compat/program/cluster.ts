// Cluster-wide transactions.
import type { DocumentStore } from "client";
import { area, failure, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

const CLUSTER = { transactionMode: "ClusterWide" } as const;

export default area({
  "store and change": async ({ open, observe, server }) => {
    const session = open().openSession(CLUSTER);
    observe("mode", session.advanced.transactionMode);
    const user = new MyUser("a");
    await session.store(user, "cw/1");
    observe("saving", await outcome(() => session.saveChanges()));
    observe("what is there", await server.fields("cw/1"));
    const raft = session.advanced.getChangeVectorFor(user);
    observe("a vector of the cluster", /^RAFT:\d+-.*TRXN:\d+-/.test(raft));
    user.name = "b";
    observe("a change", await outcome(() => session.saveChanges()));
    observe("it is there", await server.fields("cw/1"));
    const other = open().openSession(CLUSTER);
    const loaded = (await other.load("cw/1")) as Any;
    loaded.name = "c";
    observe("from another session", await outcome(() => other.saveChanges()));
    await other.delete(loaded);
    observe("deleting", await outcome(() => other.saveChanges()));
    observe("gone", await server.document("cw/1"));
    observe(
      "then stored again",
      await outcome(async () => {
        const again = open().openSession(CLUSTER);
        await again.store(new MyUser("again"), "cw/1");
        await again.saveChanges();
      }),
    );
  },

  "set on the session": async ({ open, observe, server }) => {
    const session = open().openSession();
    session.advanced.transactionMode = "ClusterWide";
    await session.store(new MyUser("a"), "cw/set");
    await session.saveChanges();
    observe("its vector", /RAFT/.test((await server.vector("cw/set")) as string));
  },

  conflicts: async ({ open, observe, server }) => {
    const [one, two] = [open().openSession(CLUSTER), open().openSession(CLUSTER)];
    await one.store(new MyUser("one"), "cw/2");
    await two.store(new MyUser("two"), "cw/2");
    await one.saveChanges();
    observe("both create the same", await failure(() => two.saveChanges(), "cw/2"));
    observe("the first stays", await server.fields("cw/2"));
    const [three, four] = [open().openSession(CLUSTER), open().openSession(CLUSTER)];
    const mine = (await three.load("cw/2")) as Any;
    const theirs = (await four.load("cw/2")) as Any;
    theirs.name = "theirs";
    await four.saveChanges();
    mine.name = "mine";
    observe("both change the same", await failure(() => three.saveChanges(), "cw/2"));
    observe("theirs stays", await server.fields("cw/2"));
    observe("the session still has its change", [mine.name, three.advanced.hasChanges()]);
    const [five, six] = [open().openSession(CLUSTER), open().openSession(CLUSTER)];
    const gone = (await five.load("cw/2")) as Any;
    await five.delete(gone);
    const late = (await six.load("cw/2")) as Any;
    await five.saveChanges();
    late.name = "late";
    observe("changing what was deleted", await outcome(() => six.saveChanges()));
  },

  "without atomic guards": async ({ open, observe, server }) => {
    const option = "disableAtomicDocumentWritesInClusterWideTransaction";
    const guards = async (id: string) => {
      const found = await server.send("GET", `/cmpxchg?startsWith=rvn-atomic/${encodeURIComponent(id)}`);
      return ((await found.json()) as { Results: unknown[] }).Results.length;
    };
    const set = (value: boolean | undefined) => (conventions: DocumentStore["conventions"]) => {
      conventions[option] = value as boolean;
    };
    observe("by default", open().conventions[option]);
    const cases: Record<string, [of: boolean | undefined, options: object]> = {
      "the option": [undefined, { [option]: true }],
      "the option, false": [undefined, { [option]: false }],
      neither: [undefined, {}],
      "the option against the convention": [true, { [option]: false }],
    };
    for (const [name, [convention, options]] of Object.entries(cases)) {
      const store = open(set(convention));
      const id = `cw/guard/${name}`;
      const [one, two] = [1, 2].map(() => store.openSession({ ...CLUSTER, ...options })) as [Any, Any];
      await one.store(new MyUser("one"), id);
      await one.saveChanges();
      observe(`${name}: guards`, await guards(id));
      const [mine, theirs] = [await one.load(id), await two.load(id)] as [Any, Any];
      theirs.name = "theirs";
      await two.saveChanges();
      mine.name = "mine";
      observe(`${name}: both change it`, await failure(() => one.saveChanges()));
      observe(`${name}: what is there`, await server.fields(id));
    }
    const conventional = open(set(true)).openSession();
    conventional.advanced.transactionMode = "ClusterWide";
    await conventional.store(new MyUser("a"), "cw/conventional");
    await conventional.saveChanges();
    observe("by convention", await guards("cw/conventional"));
    const single = open(set(true)).openSession({ [option]: true });
    await single.store(new MyUser("a"), "cw/single");
    observe("in a transaction of one node", await outcome(() => single.saveChanges()));
  },

  ids: async ({ open, observe }) => {
    const session = open().openSession(CLUSTER);
    const hilo = new MyUser("hilo");
    const identity = new MyUser("identity");
    await session.store(hilo);
    await session.store(identity, "cwusers|");
    await session.saveChanges();
    observe("HiLo and identity", [hilo.id, identity.id]);
    const other = open().openSession(CLUSTER);
    const server = await outcome(async () => {
      await other.store(new MyUser("server"), "cwusers/");
      await other.saveChanges();
    });
    observe("made by the server: is refused", server);
  },

  "optimistic concurrency": async ({ open, observe }) => {
    const session = open().openSession(CLUSTER);
    session.advanced.useOptimisticConcurrency = true;
    await session.store(new MyUser("a"), "cw/3");
    observe("is another thing", await outcome(() => session.saveChanges()));
    const vector = open().openSession(CLUSTER);
    await vector.store(new MyUser("a"), "cw/4", { changeVector: "A:1-AAAAAAAAAAAAAAAAAAAAAA" });
    observe("a change vector", await outcome(() => vector.saveChanges()));
  },

  several: async ({ open, observe, server }) => {
    const session = open().openSession(CLUSTER);
    await session.store(new MyUser("a"), "cw/5");
    await session.store(new MyUser("b"), "cw/6");
    await session.saveChanges();
    const both = (await session.load(["cw/5", "cw/6"])) as Any;
    both["cw/5"].name = "A";
    await session.delete(both["cw/6"]);
    await session.store(new MyUser("c"), "cw/7");
    await session.saveChanges();
    observe("in one", [
      await server.fields("cw/5"),
      await server.fields("cw/6"),
      await server.fields("cw/7"),
    ]);
    observe("requests", session.advanced.numberOfRequests);
    observe("nothing left", session.advanced.hasChanges());
    observe("their vectors are known", [
      session.advanced.getChangeVectorFor(both["cw/5"]) === (await server.vector("cw/5")),
    ]);
  },
});
