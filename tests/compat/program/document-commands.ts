// Commands about single documents: defer, and getRequestExecutor().execute.
import {
  DeleteCommandData,
  DeleteDocumentCommand,
  GetDocumentsCommand,
  NextIdentityForCommand,
  PatchCommandData,
  PatchRequest,
  PutCommandDataBase,
  PutDocumentCommand,
  SeedIdentityForCommand,
} from "client";
import { area, fails, failure, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

const users = { "@metadata": { "@collection": "MyUsers" } };
const vector = async (server: Server, id: string) => (await server.vector(id)) as string;

export default area({
  PutDocumentCommand: async ({ open, observe, better, server }) => {
    const store = open();
    const executor = store.getRequestExecutor();
    const put = async (id: string, changeVector: string | null, fields: object) => {
      const command = new PutDocumentCommand(id, changeVector as string, { ...fields, ...users });
      await executor.execute(command);
      return command.result;
    };
    observe("a result", await put("p/1", null, { name: "a" }));
    observe("what is stored", await server.fields("p/1"));
    observe("null overwrites", (await put("p/1", null, { name: "b" })).id);
    observe("a slash at the end", (await put("p/", null, { name: "slash" })).id);
    observe("a pipe", [(await put("pp|", null, {})).id, (await put("pp|", null, {})).id]);
    const old = await vector(server, "p/1");
    await put("p/1", old, { name: "c" });
    observe("the present vector", await server.fields("p/1"));
    observe("an old one", await failure(() => put("p/1", old, { name: "d" }), "p/1"));
    better(
      "an empty one: must not exist",
      await outcome(() => put("p/1", "", { name: "empty" }).then(() => "put")),
      {
        ravendb: "put",
        edge: fails("ConcurrencyException"),
      },
    );
    observe("an empty id", await outcome(() => put("", null, {})));
    observe(
      "no document",
      await outcome(
        () => new PutDocumentCommand("p/2", null as unknown as string, null as unknown as object),
      ),
    );
    const session = store.openSession();
    await session.advanced.requestExecutor.execute(
      new PutDocumentCommand("p/session", null as unknown as string, { ...users }),
    );
    observe("through a session", (await server.document("p/session")) !== undefined);
    observe("is not counted", session.advanced.numberOfRequests);
  },

  GetDocumentsCommand: async ({ open, observe, server }) => {
    for (const n of [1, 2, 3]) await server.put(`g/${n}`, { n, next: `g/${n + 1}` }, "Gets");
    const store = open();
    const executor = store.getRequestExecutor();
    const { conventions } = store;
    const one = new GetDocumentsCommand({ id: "g/1", conventions });
    await executor.execute(one);
    observe("one", one.result.results);
    const none = new GetDocumentsCommand({ id: "g/none", conventions });
    await executor.execute(none);
    observe("none", none.result ?? null);
    const many = new GetDocumentsCommand({ ids: ["g/2", "g/none", "g/1"], includes: ["next"], conventions });
    await executor.execute(many);
    observe(
      "many",
      many.result.results.map((found: Any) => found?.n ?? null),
    );
    observe("includes", Object.keys(many.result.includes));
    const repeated = async (...ids: (string | null)[]) => {
      const command = new GetDocumentsCommand({ ids: ids as string[], conventions });
      await executor.execute(command);
      return command.result?.results.map((found: Any) => found?.n ?? null);
    };
    observe("an id again", await repeated("g/1", "g/none", "g/1", "G/1", "g/none"));
    observe("null among ids, again", await repeated("g/1", null, "g/2", null));
    observe("one id that does not exist, again", await repeated("g/none", "g/none"));
    const long = Array.from({ length: 1_000 }, (_, at) => `g/${at}`);
    observe("again in a body", (await repeated(...long, "g/1", "g/none")).length);
    const metadata = new GetDocumentsCommand({ ids: ["g/1"], metadataOnly: true, conventions });
    await executor.execute(metadata);
    observe("metadata only", Object.keys(metadata.result.results[0]));
    const prefix = new GetDocumentsCommand({ startsWith: "g/", start: 1, pageSize: 1, conventions });
    await executor.execute(prefix);
    observe(
      "a prefix",
      prefix.result.results.map((found: Any) => found.n),
    );
    const rest = { startsWith: "g/", startsAfter: "g/1", start: 0, pageSize: 9, conventions };
    const after = new GetDocumentsCommand(rest);
    await executor.execute(after);
    observe(
      "a prefix, after an id",
      after.result.results.map((found: Any) => found.n),
    );
  },

  "what GetDocumentsCommand does not read": async ({ open, better, server }) => {
    await server.put("g/4", {}, "Gets");
    const store = open();
    const read = async () => {
      const command = new GetDocumentsCommand({
        id: "g/4",
        includeAllCounters: true,
        conventions: store.conventions,
      } as Any);
      await store.getRequestExecutor().execute(command);
      return (command.result as Any).counterIncludes;
    };
    better("counters", await outcome(read), {
      ravendb: { "g/4": [] },
      edge: fails("InvalidArgumentException"),
    });
  },

  DeleteDocumentCommand: async ({ open, observe, server }) => {
    await server.put("h/1", { name: "a" }, "MyUsers");
    const executor = open().getRequestExecutor();
    const present = await vector(server, "h/1");
    await server.put("h/1", { name: "b" }, "MyUsers");
    observe(
      "DELETE with an old vector",
      await failure(() => executor.execute(new DeleteDocumentCommand("h/1", present)), "h/1"),
    );
    observe("it stays", await server.fields("h/1"));
    observe("DELETE", await outcome(() => executor.execute(new DeleteDocumentCommand("h/1"))));
    observe("gone", await server.document("h/1"));
    observe("DELETE of none", await outcome(() => executor.execute(new DeleteDocumentCommand("h/1"))));
    observe("DELETE without an id", await outcome(() => new DeleteDocumentCommand("")));
  },

  identities: async ({ open, observe, server }) => {
    const executor = open().getRequestExecutor();
    const next = async (name: string) => {
      const command = new NextIdentityForCommand(name);
      await executor.execute(command);
      return command.result;
    };
    const seed = async (name: string, value: number, force?: boolean) => {
      const command = new SeedIdentityForCommand(name, value, force);
      await executor.execute(command);
      return command.result;
    };
    observe("next", [
      await next("houses"),
      await next("houses"),
      await next("houses|"),
      await next("HOUSES"),
    ]);
    observe("seed", await seed("houses", 100));
    observe("after it", await next("houses"));
    observe("a lower seed changes nothing", [await seed("houses", 5), await next("houses")]);
    observe("unless it is forced", [await seed("houses", 5, true), await next("houses")]);
    observe("no name", await outcome(() => new NextIdentityForCommand("")));
    observe("seed without a name", await outcome(() => new SeedIdentityForCommand("", 1)));
    const number = await next("invoices");
    await executor.execute(
      new PutDocumentCommand(`invoices/${number}`, null as unknown as string, { ...users, total: 5 }),
    );
    observe("an id made of it", await server.fields("invoices/1"));
    const same = new NextIdentityForCommand("again");
    await executor.execute(same);
    const first = same.result;
    await executor.execute(same);
    observe("one command executed twice burns nothing", [first, same.result]);
  },

  "defer: put, delete, patch": async ({ open, observe, server }) => {
    await server.put("f/1", { n: 1 }, "MyUsers");
    await server.put("f/2", { n: 2 }, "MyUsers");
    const session = open().openSession();
    const put = new PutCommandDataBase("f/put", null as unknown as string, null as unknown as string, {
      n: 9,
      ...users,
    });
    observe("defer returns", session.advanced.defer(put));
    session.advanced.defer(
      new DeleteCommandData("f/1"),
      new PatchCommandData(
        "f/2",
        null as unknown as string,
        Object.assign(PatchRequest.forScript("this.n += args.by"), { values: { by: 40 } }),
      ),
    );
    observe("hasChanges", session.advanced.hasChanges());
    observe("whatChanged", session.advanced.whatChanged());
    await session.store(new MyUser("beside"), "f/beside");
    await session.saveChanges();
    observe("all in one request", session.advanced.numberOfRequests);
    observe("put", await server.fields("f/put"));
    observe("delete", await server.document("f/1"));
    observe("patch", await server.fields("f/2"));
    observe("beside", await server.fields("f/beside"));
    observe("nothing left", session.advanced.hasChanges());
    await session.saveChanges();
    observe("not sent again", session.advanced.numberOfRequests);
  },

  "defer and entities": async ({ open, observe, server }) => {
    await server.put("f/3", { n: 1 }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("f/3")) as Any;
    session.advanced.defer(new DeleteCommandData("f/3"));
    user.n = 2;
    observe("a changed entity with a deferred command", await failure(() => session.saveChanges(), "f/3"));
    observe("nothing is sent", await server.fields("f/3"));
    observe(
      "storing under such an id",
      await failure(() => open().openSession().store(new MyUser("x"), "f/3")),
    );
    const other = open().openSession();
    other.advanced.defer(new DeleteCommandData("f/4"));
    observe("in the same session", await failure(() => other.store(new MyUser("x"), "f/4"), "f/4"));
    const loaded = open().openSession();
    await loaded.load("f/3");
    loaded.advanced.defer(
      new PutCommandDataBase("f/3", null as unknown as string, null as unknown as string, { n: 5, ...users }),
    );
    await loaded.saveChanges();
    observe("an unchanged one beside a deferred put", await server.fields("f/3"));
    const entity = (await loaded.load("f/3")) as Any;
    observe(
      "its change vector follows",
      loaded.advanced.getChangeVectorFor(entity) === (await server.vector("f/3")),
    );
    const deferred = open().openSession();
    deferred.advanced.defer(new DeleteCommandData("f/3", "A:1-AAAAAAAAAAAAAAAAAAAAAA"));
    observe("with an old vector", await failure(() => deferred.saveChanges(), "f/3"));
    observe("it is kept", deferred.advanced.hasChanges());
    deferred.advanced.clear();
    observe("clear forgets it", deferred.advanced.hasChanges());
  },

  patches: async ({ open, observe, server }) => {
    await server.put("f/5", { n: 1, list: [1], name: "a" }, "MyUsers");
    const session = open().openSession();
    const missing = PatchRequest.forScript("this.n = 1");
    session.advanced.defer(new PatchCommandData("f/none", null as unknown as string, missing));
    observe("of a document that is not there", await outcome(() => session.saveChanges()));
    observe("makes none", await server.document("f/none"));
    const creating = open().openSession();
    creating.advanced.defer(
      new PatchCommandData(
        "f/made",
        null as unknown as string,
        missing,
        PatchRequest.forScript("this.n = 77; this['@metadata'] = {'@collection': 'MyUsers'}"),
      ),
    );
    await creating.saveChanges();
    observe("with patchIfMissing", await server.fields("f/made"));
    const guarded = open().openSession();
    guarded.advanced.defer(new PatchCommandData("f/5", "A:1-AAAAAAAAAAAAAAAAAAAAAA", missing));
    observe("with an old vector", await failure(() => guarded.saveChanges(), "f/5"));
    const wrong = open().openSession();
    wrong.advanced.defer(
      new PatchCommandData("f/5", null as unknown as string, PatchRequest.forScript("throw 'no'")),
    );
    observe("a script that throws", await outcome(() => wrong.saveChanges()));
    const syntax = open().openSession();
    syntax.advanced.defer(
      new PatchCommandData("f/5", null as unknown as string, PatchRequest.forScript("this is no script")),
    );
    observe("a script that is none", await outcome(() => syntax.saveChanges()));
    observe("the document stays", await server.fields("f/5"));
  },
});
