// load in all its forms, includes, loadStartingWith, exists, and the number of requests.
import { area, failure, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  name = "";
  hello() {
    return `I am ${this.name}`;
  }
}

const people = async (server: Server) => {
  for (let n = 1; n <= 5; n++) await server.put(`people/${n}`, { name: `p${n}`, n }, "People");
};

export default area({
  "one and many": async ({ open, observe, server }) => {
    await people(server);
    const session = open().openSession();
    const many = await session.load(["people/2", "people/77", "people/1", "people/2"]);
    observe("the keys are the ids asked for, once", Object.keys(many));
    observe(
      "values",
      Object.values(many).map((one) => (one as Any)?.name),
    );
    observe("missing is null", many["people/77"]);
    observe("one request", session.advanced.numberOfRequests);
    const again = await session.load(["people/1", "people/77"]);
    observe("again: no request", session.advanced.numberOfRequests);
    observe("the same objects", again["people/1"] === many["people/1"]);
    await session.load(["people/1", "people/3"]);
    observe("some are new: one request", session.advanced.numberOfRequests);
    observe("single", (await session.load<Any>("people/3")).name);
    observe("a single one by list", Object.keys(await session.load(["people/4"])));
    observe("all missing", await session.load(["people/x", "people/y"]));
  },

  "ids that are names of inherited members": async ({ open, better, observe, server }) => {
    for (const id of ["__proto__", "constructor"]) await server.put(id, { name: id }, "People");
    const ids = ["__proto__", "constructor", "valueOf"];
    const found = await open().openSession().load(ids);
    better("load", Object.keys(found), { ravendb: ["constructor", "valueOf"], edge: ids });
    const lazily = await open().openSession().advanced.lazily.load(ids).getValue();
    better("lazily", Object.keys(lazily), { ravendb: ["constructor", "valueOf"], edge: ids });
    const one = ((await open().openSession().load("__proto__")) as Any)?.name;
    better("one", one, { ravendb: undefined, edge: "__proto__" });
    const session = open().openSession();
    const all = await session.load<Any>(["constructor", "people/none"]);
    (all.constructor as Any).name = "changed";
    observe("changes", Object.keys(session.advanced.whatChanged()));
  },

  "odd arguments": async ({ open, observe, server }) => {
    await people(server);
    const session = open().openSession();
    observe("an empty list", await outcome(() => session.load([])));
    observe("null", await outcome(() => session.load(null as unknown as string)));
    observe("undefined", await outcome(() => session.load(undefined as unknown as string)));
    observe("empty text", await outcome(() => session.load("")));
    observe("blank text", await outcome(() => session.load("  ")));
    observe("empty texts in a list", await outcome(() => session.load(["", ""])));
    observe(
      "null in a list is skipped",
      Object.keys((await session.load(["people/1", null as unknown as string, ""])) as object),
    );
    observe("requests", session.advanced.numberOfRequests);
    const long = `people/${"x".repeat(600)}`;
    observe("an id that is too long", await outcome(() => session.load(long)));
    const control = await outcome(() => session.load("people/\u0001"));
    observe("a control character", control);
    const many = await open()
      .openSession()
      .load(Array.from({ length: 1200 }, (_, n) => `people/${n}`));
    observe("1,200 ids at once", [
      Object.keys(many).length,
      Object.values(many).filter((one) => one !== null).length,
    ]);
  },

  classes: async ({ open, observe, server }) => {
    await server.put("c/1", { name: "Ann" }, "MyUsers");
    const plainly = await open().openSession().load<Any>("c/1");
    observe("without a class", [plainly instanceof MyUser, plainly.name]);
    const given = (await open().openSession().load("c/1", MyUser)) as MyUser;
    observe("a class as argument", [given instanceof MyUser, given.hello(), given.id]);
    const option = (await open().openSession().load("c/1", { documentType: MyUser })) as MyUser;
    observe("documentType", [option instanceof MyUser, option.hello()]);
    const many = await open().openSession().load(["c/1", "c/2"], MyUser);
    observe("many", [many["c/1"] instanceof MyUser, many["c/2"]]);
    const session = open((conventions) => conventions.registerEntityType(MyUser)).openSession();
    const user = Object.assign(new MyUser(), { name: "Bob" });
    await session.store(user, "c/stored");
    await session.saveChanges();
    const registered = open((conventions) => conventions.registerEntityType(MyUser)).openSession();
    const back = (await registered.load("c/stored")) as MyUser;
    observe("stored as a class, loaded with the class registered", [back instanceof MyUser, back.hello?.()]);
    observe("not changed", registered.advanced.hasChanges());
    const bare = (await open().openSession().load("c/stored")) as Any;
    observe("… where the class is not known", [bare instanceof MyUser, bare.name]);
    const held = open().openSession();
    const first = await held.load("c/1");
    observe("once tracked, a class changes nothing", (await held.load("c/1", MyUser)) === first);
  },

  includes: async ({ open, observe, better, server }) => {
    await people(server);
    await server.put(
      "teams/1",
      {
        lead: "people/1",
        members: ["people/2", "people/3"],
        deep: { boss: "people/4" },
        lost: "people/99",
        none: null,
        items: [{ who: "people/5" }],
      },
      "Teams",
    );
    const session = open().openSession();
    const team = await session.include("lead").load<Any>("teams/1");
    observe("the document", team.lead);
    observe("one request", session.advanced.numberOfRequests);
    observe("the included is loaded", session.advanced.isLoaded("people/1"));
    observe("others are not", session.advanced.isLoaded("people/2"));
    const lead = await session.load<Any>("people/1");
    observe("and needs no request", [lead.name, session.advanced.numberOfRequests]);
    observe("the same object", (await session.load("PEOPLE/1")) === lead);
    observe("no changes", session.advanced.hasChanges());

    const paths: Record<string, string[]> = {
      members: ["people/2", "people/3"],
      "deep.boss": ["people/4"],
      "items[].who": ["people/5"],
      lost: ["people/99"],
      none: [],
      nowhere: [],
    };
    for (const [path, ids] of Object.entries(paths)) {
      const other = open().openSession();
      await other.load("teams/1", { includes: [path] });
      observe(
        `${path}: loaded`,
        ids.map((id) => other.advanced.isLoaded(id)),
      );
      const found = await other.load<Any>(ids);
      observe(
        `${path}: found`,
        Object.values(found).map((one) => one?.name),
      );
      observe(`${path}: requests`, other.advanced.numberOfRequests);
    }
    const two = open().openSession();
    await two.include("lead").include("members").load("teams/1");
    await two.load(["people/1", "people/2", "people/3"]);
    observe("two paths: requests", two.advanced.numberOfRequests);
    const built = open().openSession();
    await built.load("teams/1", {
      includes: (includes) => includes.includeDocuments("lead").includeDocuments("members"),
    });
    await built.load(["people/1", "people/2"]);
    observe("by a builder: requests", built.advanced.numberOfRequests);
    const late = open().openSession();
    await late.load("teams/1");
    await late.load("teams/1", { includes: ["lead"] });
    observe("a loaded document asked with includes is not asked again", late.advanced.numberOfRequests);
    await late.load("teams/1", { includes: ["lead"] });
    observe("nor then", late.advanced.numberOfRequests);
    const none = await open().openSession().include("lead").load("teams/none");
    better("a missing document with includes", none, { ravendb: undefined, edge: null });
    const list = open().openSession();
    const teams = await list.include("lead").load<Any>(["teams/1", "teams/none"]);
    observe(
      "many with includes",
      Object.entries(teams).map(([id, one]) => [id, one?.lead ?? null]),
    );
    observe("its include is loaded", list.advanced.isLoaded("people/1"));
  },

  "included and changed": async ({ open, observe, server }) => {
    await people(server);
    await server.put("teams/2", { lead: "people/1" }, "Teams");
    const session = open().openSession();
    await session.include("lead").load("teams/2");
    await server.put("people/1", { name: "newer" }, "People");
    const lead = await session.load<Any>("people/1");
    observe("as it was when included", lead.name);
    observe("not in getTrackedEntities before it is loaded", [
      ...session.advanced.getTrackedEntities().keys(),
    ]);
    lead.name = "mine";
    await session.saveChanges();
    observe("a change to it is saved", await server.fields("people/1"));
    const self = open().openSession();
    await server.put("loop/1", { other: "loop/2" }, "Loops");
    await server.put("loop/2", { other: "loop/1" }, "Loops");
    const loop = await self.include("other").load<Any>("loop/1");
    observe("a loop", (await self.load<Any>(loop.other)).other);
    observe("requests", self.advanced.numberOfRequests);
  },

  "the class of include().load": async ({ open, better, server }) => {
    await people(server);
    await server.put("teams/3", { lead: "people/1" }, "Teams");
    const team = await open().openSession().include("lead").load("teams/3", MyUser);
    better("is used", team instanceof MyUser, { ravendb: false, edge: true });
  },

  loadStartingWith: async ({ open, observe, better, server }) => {
    for (let n = 1; n <= 12; n++) await server.put(`logs/${String(n).padStart(2, "0")}`, { n }, "Logs");
    await server.put("logs/a1", { n: 100 }, "Logs");
    const numbers = (found: Any[]) => found.map((one) => one.n);
    const session = open().openSession();
    const all = (await session.advanced.loadStartingWith("logs/")) as Any[];
    observe("all, in order", numbers(all));
    observe("it is a list", Array.isArray(all));
    observe("tracked", [session.advanced.isLoaded("logs/01"), (await session.load("logs/01")) === all[0]]);
    observe("requests", session.advanced.numberOfRequests);
    const fresh = () => open().openSession().advanced;
    observe("other letter case", numbers((await fresh().loadStartingWith("LOGS/0")) as Any[]));
    observe("pageSize", numbers((await fresh().loadStartingWith("logs/", { pageSize: 3 })) as Any[]));
    observe("start", numbers((await fresh().loadStartingWith("logs/", { start: 2, pageSize: 3 })) as Any[]));
    observe(
      "startAfter",
      numbers((await fresh().loadStartingWith("logs/", { startAfter: "logs/10" })) as Any[]),
    );
    observe("matches", numbers((await fresh().loadStartingWith("logs/", { matches: "0?|a*" })) as Any[]));
    observe("exclude", numbers((await fresh().loadStartingWith("logs/", { exclude: "0*" })) as Any[]));
    observe("nothing", await fresh().loadStartingWith("none/"));
    const typed = (await fresh().loadStartingWith("logs/0", { documentType: MyUser })) as Any[];
    better(
      "a class",
      typed.every((one) => one instanceof MyUser),
      { ravendb: false, edge: true },
    );
    all[0].n = -1;
    const again = (await session.advanced.loadStartingWith("logs/0", { pageSize: 1 })) as Any[];
    observe("what is tracked stays as it is here", numbers(again));
    observe("a null prefix", await outcome(() => fresh().loadStartingWith(null as unknown as string)));
  },

  exists: async ({ open, observe, server }) => {
    await people(server);
    const session = open().openSession();
    observe("there", await session.advanced.exists("people/1"));
    observe("not loaded by it", session.advanced.isLoaded("people/1"));
    observe("in other letter case", await session.advanced.exists("PEOPLE/2"));
    observe("not there", await session.advanced.exists("people/none"));
    await session.load("people/none2");
    observe("known to be missing", await session.advanced.exists("people/none2"));
    await session.load("people/3");
    await server.delete("people/3");
    observe("loaded counts as there", await session.advanced.exists("people/3"));
    observe("null", await outcome(() => session.advanced.exists(null as unknown as string)));
    await session.store({ "@metadata": { "@collection": "People" } }, "people/new");
    observe("a new one counts as there", await session.advanced.exists("people/new"));
  },

  "without the cache": async ({ open, observe, server }) => {
    await server.put("cached/1", { n: 1 }, "Cached");
    const store = open();
    await store.openSession().load("cached/1");
    const session = store.openSession({ noCaching: true });
    observe("load", (await session.load<{ n: number }>("cached/1"))?.n);
    observe("a query", await session.query({ collection: "Cached" }).waitForNonStaleResults().count());
    await server.put("cached/1", { n: 2 }, "Cached");
    observe("afterwards", (await store.openSession({ noCaching: true }).load<{ n: number }>("cached/1"))?.n);
  },

  requests: async ({ open, observe, server }) => {
    await people(server);
    const session = open().openSession();
    observe("at first", session.advanced.numberOfRequests);
    observe("the limit", session.advanced.maxNumberOfRequestsPerSession);
    session.advanced.maxNumberOfRequestsPerSession = 2;
    await session.load("people/1");
    await session.load("people/2");
    observe("two", session.advanced.numberOfRequests);
    observe("a third", await failure(() => session.load("people/3"), "2"));
    observe("what is loaded needs none", ((await session.load("people/1")) as Any).name);
    await session.store({ "@metadata": { "@collection": "People" } }, "people/limit");
    observe("saving, too", await outcome(() => session.saveChanges()));
    observe("refused saves are counted", session.advanced.numberOfRequests);
    session.advanced.maxNumberOfRequestsPerSession = 100;
    observe("a higher limit", await outcome(() => session.saveChanges()));
    observe("the session kept its work", await server.fields("people/limit"));
    const convention = open((conventions) => {
      conventions.maxNumberOfRequestsPerSession = 1;
    }).openSession();
    observe("by convention", convention.advanced.maxNumberOfRequestsPerSession);
    await convention.load("people/1");
    observe("then refused", await outcome(() => convention.load("people/2")));
    const quiet = open().openSession();
    await quiet.saveChanges();
    observe("saving nothing asks nothing", quiet.advanced.numberOfRequests);
    await quiet.advanced.exists("people/1");
    observe("exists is not counted", quiet.advanced.numberOfRequests);
  },
});
