// Store, load, save; one document, one object.
import { area, failure, outcome, plain } from "./harness.js";

class MyUser {
  id?: string;
  constructor(
    public name = "",
    public age = 0,
  ) {}
}

export default area({
  "store and save": async ({ open, observe, server }) => {
    const store = open((conventions) => conventions.registerEntityType(MyUser, "MyUsers"));
    const session = store.openSession();
    const user = new MyUser("Ann", 41);
    observe("store resolves to", await session.store(user, "users/first"));
    observe("the id is on the entity at once", user.id);
    observe("nothing is on the server yet", await server.document("users/first"));
    observe("it is loaded", session.advanced.isLoaded("users/first"));
    observe("in other letter case, too", session.advanced.isLoaded("USERS/FIRST"));
    observe("its change vector before saving", session.advanced.getChangeVectorFor(user));
    observe("there are changes", session.advanced.hasChanges());
    observe("saveChanges resolves to", await session.saveChanges());
    observe("no changes are left", session.advanced.hasChanges());
    observe("its change vector after saving", session.advanced.getChangeVectorFor(user));
    observe("what is stored", await server.fields("users/first"));
    observe("the stored collection", (await server.document("users/first"))["@metadata"]["@collection"]);
    observe("load gives the very object", (await session.load("users/first")) === user);
    observe("in other letter case, too: load", (await session.load("USERS/First")) === user);
    const vector = await server.vector("users/first");
    await session.saveChanges();
    observe("saving again writes nothing", (await server.vector("users/first")) === vector);
    user.age = 42;
    observe("a change is seen", session.advanced.hasChanged(user));
    await session.saveChanges();
    observe("a change is sent", await server.fields("users/first"));
  },

  "another session": async ({ open, observe, server }) => {
    await server.put("users/Mixed", { name: "Mix", list: [1, "two", null, { deep: [] }] }, "MyUsers");
    const session = open().openSession();
    const found = (await session.load<MyUser>("USERS/mixed")) as MyUser;
    observe("the entity", found);
    observe("its id is as stored", found.id);
    observe("getDocumentId", session.advanced.getDocumentId(found));
    observe("one document, one object", (await session.load("users/Mixed")) === found);
    const both = await session.load(["users/MIXED", "users/mixed"]);
    observe("by two spellings at once", Object.keys(both));
    observe(
      "both are it",
      Object.values(both).every((one) => (one as unknown) === found),
    );
    observe("nothing changed", session.advanced.hasChanges());
    observe("requests", session.advanced.numberOfRequests);
  },

  "storing twice": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("Twice");
    await session.store(user, "users/twice");
    observe("the same again", await outcome(() => session.store(user)));
    observe("with its id", await outcome(() => session.store(user, "users/twice")));
    observe("with its id in other letter case", await outcome(() => session.store(user, "USERS/TWICE")));
    observe("its id is as given first", user.id);
    observe("with another id", await failure(() => session.store(user, "users/other"), "users/twice"));
    observe(
      "another object under the id",
      await failure(() => session.store(new MyUser("X"), "users/twice"), "users/twice"),
    );
    observe(
      "… in other letter case",
      await failure(() => session.store(new MyUser("X"), "Users/Twice"), "Users/Twice"),
    );
    await session.saveChanges();
    observe("what is stored", await server.fields("users/twice"));
    observe(
      "after saving, still not unique",
      await failure(() => session.store(new MyUser("X"), "users/twice")),
    );
    observe("and the session goes on", (await session.load("users/twice")) === user);
  },

  "an existing semantic id is overwritten": async ({ open, observe, server }) => {
    await server.put("users/there", { name: "old", more: 1 }, "MyUsers");
    const session = open().openSession();
    await session.store(new MyUser("new", 1), "users/there");
    observe("saving", await outcome(() => session.saveChanges()));
    observe("what is stored", await server.fields("users/there"));
  },

  "another object under a loaded id": async ({ open, observe, server }) => {
    await server.put("users/held", { name: "held" }, "MyUsers");
    const session = open().openSession();
    const held = await session.load<MyUser>("users/held");
    observe("store", await failure(() => session.store(new MyUser("X"), "users/held")));
    observe("a spread copy under its id", await failure(() => session.store({ ...held }), "users/held"));
    observe(
      "a copy without its id but with the argument",
      await failure(() => session.store(plain({ name: "copy" }), "users/HELD")),
    );
    observe("the session has what it had", (await session.load("users/held")) === held);
    observe("nothing to save", session.advanced.hasChanges());
  },

  "a missing document": async ({ open, observe, server }) => {
    const session = open().openSession();
    observe("is null", await session.load("users/none"));
    observe("it counts as loaded", session.advanced.isLoaded("users/none"));
    observe("asked once", session.advanced.numberOfRequests);
    await session.load("USERS/NONE");
    observe("and not again", session.advanced.numberOfRequests);
    await server.put("users/none", { name: "late" }, "MyUsers");
    observe("although it came", await session.load("users/none"));
    const mine = new MyUser("mine");
    observe("storing under it", await outcome(() => session.store(mine, "users/none")));
    observe("then it is there", (await session.load("users/none")) === mine);
    await session.saveChanges();
    observe("what is stored", await server.fields("users/none"));
  },
});
