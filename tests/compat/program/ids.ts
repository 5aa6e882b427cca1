// The five ways to get an id, as in the documentation of RavenDB, and invalid ids.
import { area, fails, failure, outcome, plain } from "./harness.js";

class MyUser {
  id?: string | null;
  constructor(public name = "") {}
}
class MyCompany {
  id?: string;
  constructor(public name = "") {}
}
class MyGuest {
  id = "";
  constructor(public name = "") {}
}
class MyRobot {
  // biome-ignore lint/suspicious/noExplicitAny: what apps do
  id?: any;
  constructor(public name = "") {}
}
class MyTaken {
  id?: string;
  constructor(public name = "") {}
}
class MyTwin {
  id?: string;
  constructor(public name = "") {}
}
class MyStrange {
  id?: string;
  constructor(public name = "") {}
}

export default area({
  "no id: HiLo": async ({ open, observe, server }) => {
    const session = open().openSession();
    const users = [new MyUser("a"), new MyUser("b"), new MyUser("c")];
    await session.store(users[0]);
    observe("the id when store resolves", users[0].id);
    users[1].id = null;
    await session.store(users[1]);
    observe("null is no id", users[1].id);
    users[2].id = undefined;
    await session.store(users[2]);
    observe("undefined is none", users[2].id);
    observe("getDocumentId", session.advanced.getDocumentId(users[2]));
    await session.saveChanges();
    observe(
      "after saving",
      users.map((user) => user.id),
    );
    observe("stored without its id", await server.fields("MyUsers/1-A"));
    observe("the id is no field for another session", await open().openSession().load("MyUsers/2-A"));
    const again = new MyUser("d");
    await session.store(again);
    observe("the next one", again.id);
  },

  "no id, plain objects": async ({ open, observe }) => {
    const session = open().openSession();
    const order = plain({ lines: [] }, "Orders");
    await session.store(order);
    observe("one capital: the tag is lower case", order.id);
    const line = plain({ n: 1 }, "OrderLines");
    await session.store(line);
    observe("two capitals: it is kept", line.id);
    const lower = plain({ n: 1 }, "notes");
    await session.store(lower);
    observe("none", lower.id);
    const many = Array.from({ length: 40 }, (_, n) => plain({ n }, "Bulks"));
    await Promise.all(many.map((one) => session.store(one)));
    observe("forty at once are distinct", new Set(many.map((one) => one.id)).size);
    observe(
      "in the order of their calls",
      many.slice(0, 3).map((one) => one.id),
    );
  },

  "an empty id": async ({ open, better, observe }) => {
    const session = open().openSession();
    const guest = new MyGuest("a");
    await session.store(guest);
    better("when store resolves", guest.id, { ravendb: "MyGuests/1-A", edge: "" });
    await session.saveChanges();
    better("after saving: a GUID of the server", guest.id, {
      ravendb: "MyGuests/1-A",
      edge: "12345678-1234-1234-1234-123456789abc",
    });
    observe("getDocumentId agrees", session.advanced.getDocumentId(guest) === guest.id);
    observe("it is loaded under it", (await session.load(guest.id)) === guest);
  },

  "a semantic id": async ({ open, observe, server }) => {
    const session = open().openSession();
    const field = Object.assign(new MyCompany("field"), { id: "companies/acme" });
    await session.store(field);
    observe("in the field", session.advanced.getDocumentId(field));
    const argument = new MyCompany("argument");
    await session.store(argument, "companies/Umbrella Corp.");
    observe("as argument", argument.id);
    const both = Object.assign(new MyCompany("both"), { id: "companies/field" });
    await session.store(both, "companies/argument");
    observe("the argument wins", both.id);
    const odd = new MyCompany("odd");
    await session.store(odd, "a b/c?d&e=ü%20+#😀");
    observe("any text", odd.id);
    await session.saveChanges();
    const ids = (await server.ids()).filter((id) => id.startsWith("companies/") || id.includes("ü"));
    observe("all are stored", ids);
    observe("and found", ((await open().openSession().load("a b/c?d&e=ü%20+#😀")) as MyCompany).name);
    observe("one request", session.advanced.numberOfRequests);
  },

  "ends with a slash: made by the server": async ({ open, observe, server }) => {
    const session = open().openSession();
    const first = Object.assign(new MyCompany("first"), { id: "firms/" });
    const second = new MyCompany("second");
    await session.store(first);
    await session.store(second, "firms/");
    observe("until saved", [first.id, second.id]);
    observe("getDocumentId", session.advanced.getDocumentId(first));
    await session.saveChanges();
    observe("after saving", [first.id, second.id]);
    observe("they differ", first.id !== second.id);
    observe("getDocumentId then", session.advanced.getDocumentId(second) === second.id);
    observe("loaded", session.advanced.isLoaded(first.id as string));
    observe("the very object", (await session.load(second.id as string)) === second);
    first.name = "changed";
    await session.saveChanges();
    observe("a change goes to that document", await server.fields(first.id as string));
    observe("no third one", (await server.ids()).filter((id) => id.startsWith("firms/")).length);
  },

  "ends with a pipe: an identity": async ({ open, observe, server }) => {
    const session = open().openSession();
    const first = Object.assign(new MyCompany("first"), { id: "houses|" });
    const second = new MyCompany("second");
    await session.store(first);
    await session.store(second, "houses|");
    observe("until saved", [first.id, second.id]);
    await session.saveChanges();
    observe("after saving", [first.id, second.id]);
    observe("the very object", (await session.load("houses/1")) === first);
    second.name = "changed";
    await session.saveChanges();
    observe("a change goes to that document", await server.fields("houses/2"));
    const third = new MyCompany("third");
    await session.store(third, "HOUSES|");
    await session.saveChanges();
    observe("in other letter case, the same counter", third.id);
  },

  "a HiLo id that exists": async ({ open, observe, better, server }) => {
    await server.put("MyTakens/1-A", { name: "theirs" }, "MyTakens");
    const session = open().openSession();
    const mine = new MyTaken("mine");
    await session.store(mine);
    observe("the id", mine.id);
    better("saving", await failure(() => session.saveChanges(), "MyTakens/1-A"), {
      ravendb: { succeeded: undefined },
      edge: { error: "ConcurrencyException", mentions: true },
    });
    better("what is there", await server.fields("MyTakens/1-A"), {
      ravendb: { name: "mine" },
      edge: { name: "theirs" },
    });
    better("the session still wants to save", session.advanced.hasChanges(), { ravendb: false, edge: true });
  },

  "two clients": async ({ open, observe }) => {
    const [one, two] = [open(), open()];
    const entities = [new MyTwin("1"), new MyTwin("2"), new MyTwin("3"), new MyTwin("4")];
    const sessions = [one.openSession(), two.openSession()];
    for (let at = 0; at < 4; at++) await sessions[at % 2].store(entities[at]);
    observe("never the same id", new Set(entities.map(({ id }) => id)).size);
    for (const session of sessions) await session.saveChanges();
  },

  "what is no id": async ({ open, observe, better }) => {
    const store = open();
    const store1 = async (id: string) => {
      const session = store.openSession();
      return failure(() => session.store(new MyStrange("x"), id));
    };
    const refused = fails("InvalidArgumentException");
    const passes = { succeeded: undefined };
    better("a leading slash", await store1("/stranges/1"), { ravendb: passes, edge: refused });
    better("only a slash", await store1("/"), { ravendb: passes, edge: refused });
    better("only a pipe", await store1("|"), { ravendb: passes, edge: refused });
    better("two slashes at the end", await store1("stranges//"), { ravendb: passes, edge: refused });
    better("a backslash", await store1("stranges\\1"), { ravendb: passes, edge: refused });
    better("a control character", await store1("stranges/\u0007"), { ravendb: passes, edge: refused });
    better("513 characters", await store1("s".repeat(513)), { ravendb: passes, edge: refused });
    observe("512 are fine", await store1("s".repeat(512)));
    observe("blanks are fine", await store1(" stranges/ 1 "));
    const session = store.openSession();
    const leading = Object.assign(new MyStrange("x"), { id: "/stranges/1" });
    const inField = await failure(() => session.store(leading));
    better("a leading slash in the field", inField, {
      ravendb: fails("InvalidOperationException"),
      edge: refused,
    });
  },

  "an id that is no text": async ({ open, observe }) => {
    const session = open().openSession();
    const robot = Object.assign(new MyRobot("x"), { id: 5 });
    observe("a number in the field counts as none", await outcome(() => session.store(robot)));
    observe("and is replaced", robot.id);
  },
});
