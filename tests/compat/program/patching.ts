// session.advanced.patch, increment, patchArray, patchObject, addOrPatch, addOrIncrement, addOrPatchArray.
import { PatchCommandData, PatchRequest } from "client";
import { area, fails, failure, outcome } from "./harness.js";
import { recorder } from "./recorder.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(
    public name = "",
    public n = 0,
  ) {}
}

const none = null as unknown as string;
const script = (text: string) => Object.assign(PatchRequest.forScript(text), { values: {} });

export default area({
  "by id": async ({ open, observe, server }) => {
    await server.put(
      "p/1",
      { name: "a", n: 1, list: [1, 2, 3], map: { a: 1 }, deep: { x: { y: 1 } } },
      "MyUsers",
    );
    const session = open().openSession();
    const { advanced } = session;
    observe("gives", advanced.patch<object, string>("p/1", "name", "b"));
    observe("is a change", advanced.hasChanges());
    observe("whatChanged does not tell", advanced.whatChanged());
    advanced.patch("p/1", "fresh", { nested: [true] });
    advanced.patch("p/1", "deep.x.y", 2);
    observe("increment gives", advanced.increment("p/1", "n", 5));
    advanced.increment("p/1", "missing", 7);
    advanced.increment("p/1", "name", "!");
    advanced.patchArray("p/1", "list", (list) => {
      list.push(4, 5);
      list.removeAt(0);
    });
    advanced.patchObject("p/1", "map", (map) => {
      map.set("b", 2 as Any);
      map.remove("a");
    });
    observe("nothing is sent yet", advanced.numberOfRequests);
    await session.saveChanges();
    observe("one request", advanced.numberOfRequests);
    observe("what is there", await server.fields("p/1"));
    observe("nothing left", advanced.hasChanges());
    advanced.patch("p/1", "list[0]", 100);
    advanced.patch("p/1", "list.length", 2);
    await session.saveChanges();
    observe("an element", ((await server.fields("p/1")) as Any).list);
  },

  "by entity": async ({ open, observe, server }) => {
    await server.put("p/2", { name: "a", n: 1, list: [] }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("p/2", MyUser)) as Any;
    session.advanced.patch(user, "name", "b");
    session.advanced.increment(user, "n", 41);
    session.advanced.patchArray(user, "list", (list) => list.push("x" as Any));
    observe("the entity does not change at once", [user.name, user.n, user.list]);
    await session.saveChanges();
    observe("after the save it has", [user.name, user.n, user.list]);
    observe("and no change is left", session.advanced.hasChanges());
    observe("its change vector", session.advanced.getChangeVectorFor(user) === (await server.vector("p/2")));
    observe("the same object", (await session.load("p/2")) === user);
    user.name = "c";
    await session.saveChanges();
    observe("saved on top of it", await server.fields("p/2"));
    observe(
      "of one that is not in the session",
      await outcome(() => session.advanced.patch(new MyUser(), "name", "x")),
    );
    const fresh = new MyUser("new");
    await session.store(fresh, "p/new");
    observe("of one that is not saved yet", await outcome(() => session.advanced.patch(fresh, "name", "x")));
  },

  "an entity by its id": async ({ open, observe, better, server }) => {
    await server.put("p/3", { name: "a", n: 1, gone: 1 }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("p/3", MyUser)) as Any;
    session.advanced.patch("p/3", "name", "b");
    session.advanced.defer(new PatchCommandData("p/3", none, script("delete this.gone")));
    await session.saveChanges();
    observe("it follows, too", [user.name, user instanceof MyUser]);
    better("what is gone goes", user.gone, { ravendb: 1, edge: undefined });
    observe("stored", await server.fields("p/3"));
    better("no change", session.advanced.hasChanges(), { ravendb: true, edge: false });
    user.name = "mine";
    session.advanced.patch("p/3", "name", "both");
    observe("changed and patched", await failure(() => session.saveChanges(), "p/3"));
    session.advanced.clear();
    observe("clear forgets it", session.advanced.hasChanges());
  },

  "what is not there": async ({ open, observe, server }) => {
    const session = open().openSession();
    session.advanced.patch("p/none", "name", "x");
    session.advanced.increment("p/none", "n", 1);
    observe("is no error", await outcome(() => session.saveChanges()));
    observe("and makes none", await server.document("p/none"));
    await server.put("p/4", { n: 1 }, "MyUsers");
    session.advanced.patchArray("p/4", "none", (list) => list.push(1 as Any));
    observe("a push to what is no array", await outcome(() => session.saveChanges()));
    observe("it stays", await server.fields("p/4"));
    observe("and can be sent again", session.advanced.hasChanges());
  },

  "with other changes": async ({ open, observe, server }) => {
    await server.put("p/5", { n: 1 }, "MyUsers");
    const session = open().openSession();
    await session.store(new MyUser("stored", 9), "p/6");
    session.advanced.increment("p/5", "n", 1);
    await session.saveChanges();
    observe("in one request", session.advanced.numberOfRequests);
    observe("both", [await server.fields("p/5"), await server.fields("p/6")]);
    const failing = open().openSession();
    await failing.store(new MyUser("x"), "p/7");
    failing.advanced.defer(new PatchCommandData("p/5", none, script("throw 'no'")));
    observe("all or nothing", [await outcome(() => failing.saveChanges()), await server.document("p/7")]);
    failing.advanced.patch("p/8", "n", 1);
    await session.delete("p/8");
    session.advanced.patch("p/8", "n", 2);
    observe("a deletion and a patch", await outcome(() => session.saveChanges()));
  },

  values: async ({ open, observe, server }) => {
    await server.put("p/9", {}, "MyUsers");
    const session = open().openSession();
    const { advanced } = session;
    advanced.patch("p/9", "text", "a'b\"c\\d\u2028ü🧀");
    advanced.patch("p/9", "nothing", null);
    advanced.patch("p/9", "no", false);
    advanced.patch("p/9", "list", [1, "2", [3]]);
    advanced.patch("p/9", "object", { a: { b: null } });
    advanced.patch("p/9", "number", 1.5);
    await session.saveChanges();
    observe("stored", await server.fields("p/9"));
    advanced.patch("p/9", "list", undefined);
    await session.saveChanges();
    observe("undefined", (await server.fields("p/9")) as Any);
    advanced.increment("p/9", "number", 0.25);
    advanced.increment("p/9", "nothing", 3);
    advanced.increment("p/9", "no", 4);
    await session.saveChanges();
    const { number, nothing, no } = (await server.fields("p/9")) as Any;
    observe("increments", [number, nothing, no]);
  },

  "add or": async ({ open, observe, server }) => {
    await server.put("p/10", { name: "old", n: 1, list: [1] }, "MyUsers");
    const session = open((conventions) => conventions.registerEntityType(MyUser)).openSession();
    const { advanced } = session;
    observe("addOrPatch gives", advanced.addOrPatch("p/10", new MyUser("new", 5), "name", "patched"));
    advanced.addOrPatch("p/11", new MyUser("new", 5), "name", "patched");
    await session.saveChanges();
    observe("addOrPatch", [await server.fields("p/10"), await server.fields("p/11")]);
    observe("its metadata", (await server.document("p/11"))["@metadata"]);
    advanced.addOrIncrement("p/10", new MyUser("new", 5), "n", 3);
    advanced.addOrIncrement("p/12", new MyUser("new", 5), "n", 3);
    await session.saveChanges();
    observe("addOrIncrement", [await server.fields("p/10"), await server.fields("p/12")]);
    advanced.addOrPatchArray("p/10", new MyUser("new", 5), "list", (list) => list.push(2 as Any));
    advanced.addOrPatchArray("p/13", new MyUser("new", 5), "list", (list) => list.push(2 as Any));
    await session.saveChanges();
    observe("addOrPatchArray", [await server.fields("p/10"), await server.fields("p/13")]);
    observe("is not tracked", advanced.isLoaded("p/13"));
    observe("and can be loaded", ((await session.load("p/13")) as Any)?.name);
    const literal = { title: "t", "@metadata": { "@collection": "Literals" } };
    advanced.addOrPatch("p/14", literal, "title", "x");
    await session.saveChanges();
    observe("a literal", [
      await server.fields("p/14"),
      (await server.document("p/14"))["@metadata"]["@collection"],
    ]);
    observe("the literal stays", literal);
  },

  bodies: async ({ open, observe, server }) => {
    for (const id of ["b/1", "b/2", "b/3"])
      await server.put(id, { name: "a", n: 1, list: [], map: {} }, "MyUsers");
    const wire = await recorder(server.url);
    try {
      const session = open((conventions) => conventions.registerEntityType(MyUser), {
        url: wire.url,
      }).openSession();
      const { advanced } = session;
      const save = async () => {
        await session.saveChanges();
        return wire.sent
          .filter(({ route }) => route.startsWith("bulk_docs"))
          .at(-1)
          ?.body.Commands.map((command: Any) => {
            // The end of a line is the client's own business.
            const { Script, ...rest } = command.Patch ?? {};
            return { ...command, Patch: { ...rest, Script: Script?.replaceAll("\r\n", "\n") } };
          });
      };
      advanced.patch("b/1", "map.a", 1);
      observe("patch", await save());
      advanced.increment("b/1", "n", 2);
      observe("increment", await save());
      advanced.patchArray("b/1", "list", (list) => list.push(1 as Any, 2 as Any).removeAt(1));
      observe("patchArray", await save());
      advanced.patchObject("b/1", "map", (map) => map.set("k", "v" as Any).remove("z"));
      observe("patchObject", await save());
      advanced.patch("b/1", "x", 1);
      advanced.patch("b/2", "y", 2);
      advanced.increment("b/1", "n", 3);
      advanced.patchArray("b/1", "list", (list) => list.push("z" as Any));
      const several = await save();
      // Of different documents: their order is the client's own business.
      observe(
        "several of one document are one command",
        several.sort((a: Any, b: Any) => a.Id.localeCompare(b.Id)),
      );
      advanced.patch((await session.load("b/3", MyUser)) as Any, "n", 5);
      observe("of a loaded one", await save());
      advanced.addOrPatch("b/4", new MyUser("a", 1), "n", 6);
      observe("addOrPatch", await save());
      advanced.addOrIncrement("b/4", new MyUser("a", 1), "n", 7);
      observe("addOrIncrement", await save());
      advanced.addOrPatchArray("b/4", new MyUser("a", 1), "list", (list) => list.push(8 as Any));
      observe("addOrPatchArray", await save());
      advanced.patch("b/1", "when", new Date(1_700_000_000_000));
      advanced.patch("b/1", "who", new MyUser("a", 1));
      observe("dates and classes", await save());
      advanced.patchArray("b/1", "list", () => {});
      observe("nothing to do", await outcome(save));
    } finally {
      wire.close();
    }
  },

  paths: async ({ open, observe, better, server }) => {
    await server.put("p/20", { n: 1, deep: {}, list: [0, {}] }, "MyUsers");
    const session = open().openSession();
    const { advanced } = session;
    const refused = { ravendb: undefined, edge: fails("InvalidArgumentException") };
    for (const path of [
      "",
      undefined as Any,
      "n = 5; this.x",
      "x; throw 1; this.y",
      "x[0]; this.y",
      "x[evil()]",
    ])
      better(`the path ${path}`, await outcome(() => advanced.patch("p/20", path, 1)), refused);
    better("to increment", await outcome(() => advanced.increment("p/20", "a b", 1)), refused);
    better("of a list", await outcome(() => advanced.patchArray("p/20", "a-b", () => {})), refused);
    better("to add", await outcome(() => advanced.addOrPatch("p/20", new MyUser(), "a(", 1)), refused);
    advanced.clear();
    for (const path of [
      "a",
      "a$_1",
      "ü",
      "deep.x",
      "deep['odd name']",
      'deep["say \\"hi\\""]',
      "list[0]",
      "list[1].z",
    ])
      advanced.patch("p/20", path, path);
    await session.saveChanges();
    observe("paths that are", await server.fields("p/20"));
    advanced.patchObject("p/20", "deep", (map) => map.set("if", 1 as Any).remove("x"));
    await session.saveChanges();
    observe("keys", await server.fields("p/20"));
    const odd = async () => {
      advanced.patchObject("p/20", "deep", (map) => map.set("1 kg; throw 1", 2 as Any));
      await session.saveChanges();
      return ((await server.fields("p/20")) as Any).deep["1 kg; throw 1"];
    };
    better("a key that is no name", await outcome(odd), {
      ravendb: fails("JavaScriptParseException"),
      edge: 2,
    });
    advanced.clear();
    better(
      "a script as a path",
      await outcome(async () => {
        advanced.patch("p/20", "n = 5; this.x", 1);
        await session.saveChanges();
        return ((await server.fields("p/20")) as Any).n;
      }),
      { ravendb: 5, edge: fails("InvalidArgumentException") },
    );
    observe("of no id", await outcome(() => session.advanced.patch("", "n", 1)));
    observe("of null", await outcome(() => session.advanced.patch(null as Any, "n", 1)));
  },

  merging: async ({ open, observe, better, server }) => {
    await server.put("p/30", { n: 1 }, "MyUsers");
    const session = open().openSession();
    const { advanced } = session;
    const vector = (await server.vector("p/30")) as string;
    advanced.defer(new PatchCommandData("p/30", vector, script("this.a = 1")));
    await server.put("p/30", { n: 2 }, "MyUsers");
    advanced.patch("p/30", "b", 2);
    better("into one with a change vector", await outcome(() => session.saveChanges()), {
      ravendb: undefined,
      edge: fails("ConcurrencyException"),
    });
    better("is there", await server.fields("p/30"), { ravendb: { a: 1, b: 2, n: 2 }, edge: { n: 2 } });
    advanced.clear();
    advanced.addOrPatch("p/31", new MyUser("a", 1), "n", 5);
    advanced.patch("p/31", "name", "b");
    observe("into an addOrPatch", await outcome(() => session.saveChanges()));
    better("makes", await server.fields("p/31"), { ravendb: undefined, edge: { n: 1, name: "b" } });
  },

  "what was missing": async ({ open, better }) => {
    const session = open().openSession();
    await session.load("p/40");
    session.advanced.addOrPatch("p/40", new MyUser("a", 1), "n", 5);
    await session.saveChanges();
    const made = (await session.load("p/40")) as Any;
    better("is there", made?.n ?? null, { ravendb: null, edge: 1 });
  },

  "classes whose constructors want arguments": async ({ open, observe, better }) => {
    class Made {
      id?: string;
      name: string;
      constructor(from: { name: string }) {
        this.name = from.name;
      }
    }
    const prepared = () => open((conventions) => conventions.registerEntityType(Made));
    const session = prepared().openSession();
    const made = new Made({ name: "a" });
    await session.store(made, "made/1");
    await session.saveChanges();
    session.advanced.patch(made, "name", "b");
    await session.saveChanges();
    observe("patched", made.name);
    const name = async () => ((await prepared().openSession().load("made/1")) as Any).name;
    better("loaded", await outcome(name), { ravendb: fails("InvalidOperationException"), edge: "b" });
  },
});
