// Lazy loads: several pending ones in one request.
import { area, fails, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  name = "";
}

const people = async (server: Server) => {
  for (let n = 1; n <= 4; n++)
    await server.put(`lazy/${n}`, { name: `p${n}`, next: `lazy/${n + 1}` }, "People");
};

export default area({
  "one request for all": async ({ open, observe, server }) => {
    await people(server);
    const session = open().openSession();
    const one = session.advanced.lazily.load<Any>("lazy/1");
    const two = session.advanced.lazily.load<Any>(["lazy/2", "lazy/3"]);
    const prefix = session.advanced.lazily.loadStartingWith<Any>("lazy/");
    observe("nothing is sent", session.advanced.numberOfRequests);
    observe("nothing is there", [one.isValueCreated(), session.advanced.isLoaded("lazy/1")]);
    await session.advanced.eagerly.executeAllPendingLazyOperations();
    observe("one request", session.advanced.numberOfRequests);
    observe("one", (await one.getValue())?.name);
    observe(
      "two",
      Object.entries(await two.getValue()).map(([id, found]) => [id, found?.name]),
    );
    observe(
      "by prefix",
      Object.entries((await prefix.getValue()) as object).map(([id, found]) => [id, found?.name]),
    );
    observe("still one request", session.advanced.numberOfRequests);
    observe("tracked", (await session.load("lazy/1")) === (await one.getValue()));
    observe("created", one.isValueCreated());
  },

  "a value asked for": async ({ open, observe, better, server }) => {
    await people(server);
    const first = open().openSession();
    const [asked, other] = ["lazy/1", "lazy/2"].map((id) => first.advanced.lazily.load<Any>(id));
    const pending = (asked as Any).getValue();
    better("is created while its request is under way", (asked as Any).isValueCreated(), {
      ravendb: true,
      edge: false,
      row: "`isValueCreated()` of a lazy value",
    });
    await pending;
    better("is created with that request", (other as Any).isValueCreated(), { ravendb: false, edge: true });
    const session = open().openSession();
    const one = session.advanced.lazily.load<Any>("lazy/1");
    const two = session.advanced.lazily.load<Any>("lazy/2");
    observe("gets its value", (await one.getValue())?.name);
    observe("and executes all", session.advanced.isLoaded("lazy/2"));
    observe("the other", (await two.getValue())?.name);
    observe("requests", session.advanced.numberOfRequests);
    const known = session.advanced.lazily.load<Any>("lazy/1");
    observe("what is tracked", (await known.getValue()) === (await one.getValue()));
    observe("needs no request", session.advanced.numberOfRequests);
  },

  missing: async ({ open, observe, better, server }) => {
    await people(server);
    const session = open().openSession();
    const there = session.advanced.lazily.load<Any>("lazy/1");
    const none = session.advanced.lazily.load<Any>("lazy/none");
    const failed = await outcome(() =>
      session.advanced.eagerly.executeAllPendingLazyOperations().then(() => "done"),
    );
    better("one missing document", failed, { ravendb: fails("SyntaxError"), edge: "done" });
    better("is null", await outcome(() => none.getValue()), { ravendb: fails("TypeError"), edge: null });
    observe("the one before it", ((await there.getValue()) as Any)?.name);
    const other = open().openSession();
    const many = other.advanced.lazily.load<Any>(["lazy/1", "lazy/none", "lazy/nil"]);
    const found = (await many.getValue()) as Any;
    observe(
      "of several some are missing",
      Object.entries(found).map(([id, one]) => [id, (one as Any)?.name ?? null]),
    );
    await other.load("lazy/none");
    observe("then they are known", other.advanced.numberOfRequests);
  },

  includes: async ({ open, observe, server }) => {
    await people(server);
    const session = open().openSession();
    const one = session.advanced.lazily.include("next").load<Any>("lazy/1");
    const name = ((await one.getValue()) as Any)?.name;
    observe("the document", name);
    observe("its include is loaded", session.advanced.isLoaded("lazy/2"));
    observe("and costs nothing", [
      ((await session.load("lazy/2")) as Any).name,
      session.advanced.numberOfRequests,
    ]);
  },

  classes: async ({ open, better, server }) => {
    await people(server);
    const session = open().openSession();
    const one = await session.advanced.lazily.load("lazy/1", MyUser).getValue();
    better("the class given is used", one instanceof MyUser, { ravendb: false, edge: true });
    const many = (await session.advanced.lazily.load(["lazy/2"], MyUser).getValue()) as Any;
    better("for many", many["lazy/2"] instanceof MyUser, { ravendb: false, edge: true });
  },

  "by the beginning of ids, of one that the app stored": async ({ open, observe }) => {
    const session = open().openSession();
    const user = new MyUser();
    await session.store(user, "stored/1");
    await session.saveChanges();
    const found = (await session.advanced.lazily.loadStartingWith("stored/").getValue()) as Any;
    observe("is the entity", [Object.keys(found), found["stored/1"] === user]);
  },

  "a part that fails": async ({ open, better, server }) => {
    await people(server);
    const begin = () => {
      const session = open().openSession();
      const failing = session.advanced.rawQuery<Any>("from People where name = $nobody").lazily();
      return { session, failing, good: session.advanced.lazily.load<Any>("lazy/1") };
    };
    const first = begin();
    const failed = await outcome(() => first.failing.getValue());
    better("has its own error", failed, {
      ravendb: fails("InvalidOperationException"),
      edge: fails("InvalidQueryException"),
    });
    const second = begin();
    better("the other one", ((await outcome(() => second.good.getValue())) as Any).name, {
      ravendb: undefined,
      edge: "p1",
    });
    const third = begin();
    const { executeAllPendingLazyOperations: all } = third.session.advanced.eagerly as Any;
    const together = await outcome(() => all.call(third.session.advanced.eagerly));
    better("all together", together, {
      ravendb: fails("InvalidOperationException"),
      edge: fails("InvalidQueryException"),
    });
  },

  nothing: async ({ open, observe }) => {
    const session = open().openSession();
    await session.advanced.eagerly.executeAllPendingLazyOperations();
    observe("pending: no request", session.advanced.numberOfRequests);
    observe("an empty list", await outcome(() => session.advanced.lazily.load([]).getValue()));
    session.advanced.lazily.load<Any>("lazy/9");
    session.advanced.clear();
    await session.advanced.eagerly.executeAllPendingLazyOperations();
    observe("clear forgets what is pending", session.advanced.numberOfRequests);
  },
});
