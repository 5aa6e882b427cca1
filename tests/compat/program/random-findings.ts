// Differences that random programs have found (see ../random), each as small as possible.
import { DeleteCommandData, PutCommandDataBase } from "client";
import { area, fails, outcome, plain } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(
    public name = "",
    public at?: Date,
  ) {}
}

const nothing = null as unknown as string;

export default area({
  "beforeDelete by id": async ({ open, observe, better, server }) => {
    for (const n of [1, 2, 3]) await server.put(`e/${n}`, { n }, "Ones");
    const session = open().openSession();
    const seen: string[] = [];
    session.advanced.on("beforeDelete", (e) => seen.push(`${e.documentId} ${e.entity ?? "no entity"}`));
    session.advanced.on("beforeStore", () => {
      seen.push("beforeStore");
      session.delete("e/3");
    });
    await session.delete("e/1");
    session.advanced.defer(new DeleteCommandData("e/2", nothing));
    await session.store(new MyUser("a"), "e/a");
    await session.saveChanges();
    observe("is told of each", [...seen].sort());
    better("in which order", seen, {
      ravendb: ["beforeStore", "e/1 no entity", "e/2 no entity", "e/3 no entity"],
      edge: ["e/1 no entity", "e/2 no entity", "beforeStore", "e/3 no entity"],
    });
    observe("all are gone", await server.document("e/3"));
  },

  "a save that is refused for a deferred command": async ({ open, observe, better, server }) => {
    await server.put("r/1", { n: 1 }, "Ones");
    await server.put("r/2", { n: 1 }, "Ones");
    const session = open().openSession();
    const seen: string[] = [];
    session.advanced.on("beforeStore", (e) => seen.push(`beforeStore ${e.documentId}`));
    session.advanced.on("beforeDelete", (e) => seen.push(`beforeDelete ${e.documentId}`));
    const { "r/1": one, "r/2": two } = (await session.load(["r/1", "r/2"])) as Any;
    one.n = 2;
    session.advanced.patch(one, "n", 3);
    observe("changed", await outcome(() => session.saveChanges()));
    session.advanced.clear();
    const again = await session.load("r/2");
    await session.delete(again as object);
    session.advanced.patch("r/2", "n", 3);
    observe("to be deleted", await outcome(() => session.saveChanges()));
    observe("no listener has heard of it", seen);
    observe("another object after clear", two === again);
    const other = open().openSession();
    await other.store(plain({ n: 1 }), "r/Mixed");
    const document = { "@metadata": { "@collection": "Orders" } };
    other.advanced.defer(new PutCommandDataBase("R/MIXED", nothing, nothing, document));
    better("in other letter case", await outcome(() => other.saveChanges()), {
      ravendb: undefined,
      edge: fails("InvalidOperationException"),
    });
  },

  "deferred commands about loaded documents": async ({ open, observe, server }) => {
    for (const n of [1, 2, 3]) await server.put(`d/${n}`, { n }, "Ones");
    const session = open().openSession();
    const seen: string[] = [];
    const { "d/1": one, "d/2": two } = (await session.load(["d/1", "d/2"])) as Any;
    session.advanced.on("afterSaveChanges", (e) => seen.push(e.documentId));
    session.advanced.defer(new DeleteCommandData("D/1", nothing));
    const document = { n: 9, "@metadata": { "@collection": "Ones" } };
    session.advanced.defer(new PutCommandDataBase("d/2", nothing, nothing, document));
    await session.saveChanges();
    observe("what is deleted is not loaded", [session.advanced.isLoaded("d/1"), await session.load("d/1")]);
    one.n = 7;
    await session.saveChanges();
    observe("and does not come back", await server.document("d/1"));
    observe("what is replaced stays as it is here", [await session.load("d/2"), two.n]);
    observe("afterSaveChanges", seen);
    two.n = 3;
    await session.saveChanges();
    observe("and is saved on top", await server.fields("d/2"));
  },

  "refresh in other letter case": async ({ open, observe, server }) => {
    await server.put("f/Mixed", { n: 1 }, "Ones");
    const session = open().openSession();
    const user = new MyUser("a");
    await session.store(user, "F/MIXED");
    await session.advanced.refresh(user);
    observe("the id stays as it was given", [user.id, session.advanced.getDocumentId(user)]);
  },

  "patches beside checked reads": async ({ open, observe, server }) => {
    await server.put("c/1", { n: 1 }, "Ones");
    const session = open().openSession({ optimisticConcurrencyMode: "WritesAndReads" });
    const one = (await session.load("c/1")) as Any;
    session.advanced.increment(one, "n", 2);
    observe("of what was read", await outcome(() => session.saveChanges()));
    observe("it has it", one.n);
    session.advanced.addOrPatch("c/1", one, "n", 7);
    observe("of what may be missing", await outcome(() => session.saveChanges()));
    observe("on the server", await server.fields("c/1"));
  },

  "patches of strangers": async ({ open, observe }) => {
    const { advanced } = open().openSession();
    observe("with an id", await outcome(() => advanced.patch({ id: "s/1" } as Any, "n", 1)));
    observe("without", await outcome(() => advanced.patch({} as Any, "n", 1)));
  },

  "what a patch leaves as it was": async ({ open, better, observe, server }) => {
    await server.put("k/Mixed", { n: 1 }, "Ones");
    const session = open().openSession();
    const user = new MyUser("a", new Date(0));
    await session.store(user, "k/1");
    const other = (await session.load("k/Mixed")) as Any;
    await session.saveChanges();
    session.advanced.patch(user, "name", "b");
    session.advanced.patch("K/MIXED", "n", 2);
    await session.saveChanges();
    observe("what was patched", [user.name, other.n]);
    better("dates", user.at, { ravendb: (await server.document("k/1")).at, edge: new Date(0) });
    better("the id", other.id, { ravendb: "K/MIXED", edge: "k/Mixed" });
  },

  "made anew in another collection": async ({ open, observe, server }) => {
    await server.put("m/1", { n: 1 }, "Ones");
    const session = open().openSession();
    const one = (await session.load("m/1")) as Any;
    await server.delete("m/1");
    await server.put("m/1", { n: 2 }, "Twos");
    await session.advanced.refresh(one);
    one.n = 3;
    observe("after refresh it can be saved", await outcome(() => session.saveChanges()));
    observe("there", (await server.document("m/1"))["@metadata"]["@collection"]);
  },

  "listing what load does not give": async ({ open, observe, better, server }) => {
    for (const n of [1, 2, 3]) await server.put(`l/${n}`, { n }, "Lists");
    const session = open().openSession();
    await session.delete((await session.load("l/1")) as object);
    await session.delete("l/2");
    observe("missing", await session.load("l/4"));
    await server.put("l/4", { n: 4 }, "Lists");
    const list = async () => ((await session.advanced.loadStartingWith("l/")) as Any[]).map((one) => one?.n);
    better("loadStartingWith", await list(), { ravendb: [undefined, undefined, 3, undefined], edge: [3] });
    const lazy = await session.advanced.lazily.loadStartingWith("l/").getValue();
    better(
      "lazily",
      Object.entries(lazy as Any).map(([id, one]) => [id, (one as Any)?.n]),
      {
        ravendb: [
          ["l/1", undefined],
          ["l/2", undefined],
          ["l/3", 3],
          ["l/4", undefined],
        ],
        edge: [["l/3", 3]],
      },
    );
    observe("load", Object.values((await session.load(["l/1", "l/2", "l/4"])) as object));
    const fresh = open().openSession();
    await fresh.load("l/5");
    await server.put("l/5", { n: 5 }, "Fives");
    const [found] = (await fresh.query({ collection: "Fives" }).waitForNonStaleResults().all()) as Any[];
    observe("a query gives it", found.n);
    observe("as missing", fresh.advanced.getTrackedEntities().get("l/5")?.isDeleted);
    found.n = 6;
    await fresh.saveChanges();
    better("and its changes are saved", await server.fields("l/5"), { ravendb: { n: 5 }, edge: { n: 6 } });
  },

  "what was never saved, deleted": async ({ open, better }) => {
    const session = open().openSession();
    for (const id of [undefined, "users|"]) {
      const user = new MyUser("a");
      await session.store(user, id);
      await session.delete(user);
      await session.saveChanges();
    }
    better("requests", session.advanced.numberOfRequests, { ravendb: 2, edge: 0 });
  },

  "looking at what was told before": async ({ open, observe, better, server }) => {
    await server.put("t/1", { n: 1 }, "Ones");
    const session = open().openSession();
    const one = (await session.load("t/1")) as Any;
    session.advanced.ignoreChangesFor(one);
    one.n = 2;
    observe("hasChanged of an ignored one", session.advanced.hasChanged(one));
    better("hasChanges", session.advanced.hasChanges(), { ravendb: true, edge: false });
    await session.load("t/none");
    session.advanced.clear();
    better("clear forgets what is missing", session.advanced.getTrackedEntities().size, {
      ravendb: 1,
      edge: 0,
    });
  },

  "metadata beside fields": async ({ open, better, server }) => {
    await server.put("b/1", { n: 1, "@metadata": { "@collection": "Ones", Color: "red" } });
    const session = open().openSession();
    session.advanced.on("beforeStore", (e) => ((e.getEntity() as Any).n += 1));
    const one = (await session.load("b/1")) as Any;
    session.advanced.getMetadataFor(one).Color = "blue";
    await session.saveChanges();
    better("what a listener changes beside them", await server.fields("b/1"), {
      ravendb: { n: 1 },
      edge: { n: 2 },
    });
    const other = open().openSession();
    const user = new MyUser("a");
    await other.store(user, "b/2");
    other.advanced.getMetadataFor(user).Color = "red";
    await other.saveChanges();
    user.at = new Date(0);
    await other.saveChanges();
    const { at } = (await open().openSession().load("b/2")) as Any;
    better("a date that came later", at instanceof Date, { ravendb: false, edge: true });
  },

  "queries about what the session has": async ({ open, observe, better, server }) => {
    await server.put("q/1", { n: 1, m: 2 }, "Asked");
    const session = open().openSession();
    const one = (await session.load("q/1")) as Any;
    const query = () => session.query({ collection: "Asked" }).waitForNonStaleResults();
    observe("its entity", (await query().all())[0] === one);
    better("without tracking", (await query().noTracking().all())[0] === one, { ravendb: true, edge: false });
    const [part] = await query().selectFields(["n", "m"]).all();
    better("parts of several fields", Object.keys(part).sort(), {
      ravendb: ["__PROJECTED_NESTED_OBJECT_TYPES__", "m", "n"],
      edge: ["m", "n"],
    });
  },

  "dates beside other values in maps": async ({ open, better }) => {
    const session = open().openSession();
    const map = new Map<string, unknown>([
      ["a", new Date(0)],
      ["b", "text"],
    ]);
    await session.store(plain({ map }), "w/1");
    await session.saveChanges();
    const loaded = await outcome(async () => ((await open().openSession().load("w/1")) as Any).map);
    better("come back", loaded, { ravendb: fails("InvalidOperationException"), edge: map });
  },

  "a value for an empty object": async ({ open, better, server }) => {
    await server.put("v/1", { n: 1 }, "Ones");
    const session = open().openSession();
    const one = (await session.load("v/1")) as Any;
    one.n = {};
    await session.saveChanges();
    better("is saved", await server.fields("v/1"), { ravendb: { n: 1 }, edge: { n: {} } });
  },

  "must not exist, of a known document": async ({ open, better, server }) => {
    await server.put("x/1", { n: 1 }, "Ones");
    const session = open().openSession();
    const one = (await session.load("x/1")) as Any;
    await session.store(one, "x/1", { changeVector: "" });
    one.n = 2;
    better("saving", await outcome(() => session.saveChanges()), {
      ravendb: undefined,
      edge: fails("ConcurrencyException"),
    });
  },

  "the class of a document of another client": async ({ open, better, server }) => {
    await server.put("y/1", { name: "a" }, "Ones");
    const session = open((conventions) => conventions.registerEntityType(MyUser, "MyUser")).openSession();
    const { "y/1": user } = (await session.load(["y/1"], MyUser)) as Any;
    const one = plain({ n: 1 }) as Any;
    await session.store(one, "y/2");
    await session.saveChanges();
    user.name = "b";
    one.n = 2;
    await session.saveChanges();
    const noted = async (id: string) => (await server.document(id))["@metadata"]["Raven-Node-Type"];
    better("loaded with a class", await noted("y/1"), { ravendb: "MyUser", edge: undefined });
    better("a plain object", await noted("y/2"), { ravendb: null, edge: undefined });
  },

  "a place that differed from UTC by seconds": async ({ open, observe, server }) => {
    const { env } = (globalThis as Any).process;
    const place = env.TZ;
    env.TZ = "Africa/Monrovia";
    try {
      const session = open().openSession();
      const user = new MyUser("a", new Date(Date.UTC(1960, 0, 1)));
      await session.store(user, "z/1");
      await session.saveChanges();
      observe("as stored", (await server.document("z/1")).at);
      const found = (await open().openSession().load("z/1")) as Any;
      observe("as loaded", found.at.getTime() === user.at?.getTime());
    } finally {
      if (place === undefined) delete env.TZ;
      else env.TZ = place;
    }
  },
});
