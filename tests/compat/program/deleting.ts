// delete, by entity and by id, in every state of the document.
import { area, failure, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

export default area({
  "by entity": async ({ open, observe, server }) => {
    await server.put("d/1", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("d/1")) as Any;
    observe("delete resolves to", await session.delete(user));
    observe("changes", session.advanced.hasChanges());
    observe("still on the server", (await server.fields("d/1")) !== undefined);
    observe("load gives", await session.load("d/1"));
    observe("isLoaded", session.advanced.isLoaded("d/1"));
    observe("exists", await session.advanced.exists("d/1"));
    observe("no request for that", session.advanced.numberOfRequests);
    observe("deleting it again", await outcome(() => session.delete(user)));
    observe("getDocumentId", session.advanced.getDocumentId(user));
    await session.saveChanges();
    observe("gone", await server.document("d/1"));
    observe("no changes left", session.advanced.hasChanges());
    observe("load after saving", await session.load("d/1"));
    observe("getDocumentId after saving", session.advanced.getDocumentId(user));
    observe("deleting it once more", await outcome(() => session.delete(user)));
    observe("requests", session.advanced.numberOfRequests);
  },

  "by id": async ({ open, observe, server }) => {
    await server.put("d/2", { name: "a" }, "MyUsers");
    await server.put("d/3", { name: "b" }, "MyUsers");
    const session = open().openSession();
    await session.delete("D/2");
    observe("not loaded before, other letter case: load gives", await session.load("d/2"));
    observe("whatChanged says nothing", session.advanced.whatChanged());
    observe("hasChanges", session.advanced.hasChanges());
    const user = (await session.load("d/3")) as Any;
    await session.delete("d/3");
    observe("a loaded one: load gives", await session.load("d/3"));
    observe("its entity is out", session.advanced.getDocumentId(user));
    await session.delete("d/none");
    observe("saving, with one that is not there", await outcome(() => session.saveChanges()));
    observe("gone", [await server.document("d/2"), await server.document("d/3")]);
    observe("one request for the save", session.advanced.numberOfRequests);
  },

  "a changed one": async ({ open, observe, server }) => {
    await server.put("d/4", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("d/4")) as Any;
    user.name = "changed";
    observe("by id", await failure(() => session.delete("d/4"), "delete"));
    observe("still there", (await session.load("d/4")) === user);
    observe("by entity", await outcome(() => session.delete(user)));
    await session.saveChanges();
    observe("gone", await server.document("d/4"));
  },

  "a new one": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("new");
    await session.store(user, "d/new");
    observe("by entity", await outcome(() => session.delete(user)));
    observe("load gives", await session.load("d/new"));
    observe("saving", await outcome(() => session.saveChanges()));
    observe("nothing came", await server.document("d/new"));
    const other = new MyUser("other");
    await session.store(other, "d/new2");
    observe("by id", await outcome(() => session.delete("d/new2")));
    await session.saveChanges().catch(() => {});
    observe("nothing came by id", await server.document("d/new2"));
  },

  "and store again": async ({ open, observe, server }) => {
    await server.put("d/5", { name: "a" }, "MyUsers");
    await server.put("d/6", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("d/5")) as Any;
    await session.delete(user);
    observe("the deleted entity", await outcome(() => session.store(user)));
    observe("another one under the id", await outcome(() => session.store(new MyUser("b"), "d/5")));
    const byId = open().openSession();
    await byId.delete("d/6");
    observe("deleted by id: another one", await failure(() => byId.store(new MyUser("b"), "d/6"), "d/6"));
    await byId.saveChanges();
    const after = new MyUser("after");
    observe("after saving", await outcome(() => byId.store(after, "d/6")));
    await byId.saveChanges();
    observe("it is there", await server.fields("d/6"));
    observe("and loaded", (await byId.load("d/6")) === after);
  },

  "what is nothing": async ({ open, observe }) => {
    const session = open().openSession();
    observe("null", await outcome(() => session.delete(null as unknown as object)));
    observe("empty text", await outcome(() => session.delete("")));
    observe("an entity of nobody", await outcome(() => session.delete(new MyUser("x"))));
    observe("one with an id", await outcome(() => session.delete({ id: "d/1" })));
    observe("no changes", session.advanced.hasChanges());
  },

  "with a change vector": async ({ open, observe, server }) => {
    await server.put("d/7", { name: "a" }, "MyUsers");
    const vector = (await server.vector("d/7")) as string;
    await server.put("d/7", { name: "b" }, "MyUsers");
    const session = open().openSession();
    await session.delete("d/7", vector);
    observe("an old one", await failure(() => session.saveChanges(), "d/7"));
    observe("still there", await server.fields("d/7"));
    const other = open().openSession();
    await other.delete("d/7", (await server.vector("d/7")) as string);
    observe("the present one", await outcome(() => other.saveChanges()));
    observe("gone", await server.document("d/7"));
  },

  "by somebody else": async ({ open, observe, server }) => {
    await server.put("d/8", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("d/8")) as Any;
    await server.delete("d/8");
    user.name = "b";
    observe("a change creates it again", await outcome(() => session.saveChanges()));
    observe("it is there", await server.fields("d/8"));
  },

  "several in one save": async ({ open, observe, server }) => {
    for (let n = 0; n < 4; n++) await server.put(`many/${n}`, { n }, "Many");
    const session = open().openSession();
    const many = (await session.load(["many/0", "many/1", "many/2", "many/3"])) as Any;
    many["many/0"].n = 10;
    await session.delete(many["many/1"]);
    await session.delete("many/2");
    await session.store(new MyUser("x"), "many/new");
    await session.saveChanges();
    observe(
      "ids",
      (await server.ids()).filter((id) => id.startsWith("many/")),
    );
    observe("the changed one", await server.fields("many/0"));
    observe("two requests in all", session.advanced.numberOfRequests);
  },
});
