// Operations that the server carries out in the background: PatchOperation, PatchByQueryOperation, DeleteByQueryOperation.
import {
  DeleteByQueryOperation,
  IndexQuery,
  PatchByQueryOperation,
  PatchOperation,
  PatchRequest,
} from "client";
import { area, failure, outcome } from "./harness.js";
import { recorder, type Sent } from "./recorder.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public n = 0) {}
}

const none = null as unknown as string;
const script = (text: string, values: object = {}) => Object.assign(PatchRequest.forScript(text), { values });

async function fill(
  server: { put: (id: string, document: object, collection?: string) => Promise<void> },
  collection: string,
) {
  for (let n = 1; n <= 5; n++) await server.put(`${collection}/${n}`, { n }, collection);
}

const numbers = async (server: { fields: (id: string) => Promise<unknown> }, collection: string) => {
  const found = [];
  for (let n = 1; n <= 5; n++) found.push(((await server.fields(`${collection}/${n}`)) as Any)?.n);
  return found;
};

export default area({
  "one document": async ({ open, observe, server }) => {
    await server.put("o/1", { n: 1 }, "MyUsers");
    const { operations } = open((conventions) => conventions.registerEntityType(MyUser));
    const patched = (await operations.send(
      new PatchOperation("o/1", none, script("this.n += args.by", { by: 4 })),
    )) as Any;
    observe("gives", Object.keys(patched).sort());
    observe("status", patched.status);
    observe("document", patched.document);
    observe("is there", await server.fields("o/1"));
    const same = (await operations.send(new PatchOperation("o/1", none, script("this.n = 5")))) as Any;
    observe("that changes nothing", [same.status, same.document]);
    const missing = (await operations.send(new PatchOperation("o/none", none, script("this.n = 5")))) as Any;
    observe("of none", [missing.status, missing.document]);
    const created = (await operations.send(
      new PatchOperation("o/made", none, script("this.n = 5"), script("this.n = 9"), false),
    )) as Any;
    observe("patchIfMissing", [created.status, await server.fields("o/made")]);
    const vector = (await server.vector("o/1")) as string;
    const guarded = (await operations.send(new PatchOperation("o/1", vector, script("this.n = 6")))) as Any;
    observe("with its change vector", guarded.status);
    observe(
      "with an old one",
      await outcome(() => operations.send(new PatchOperation("o/1", vector, script("this.n = 7")))),
    );
    const skipped = await outcome(() =>
      operations.send(new PatchOperation("o/1", vector, script("this.n = 7"), none as Any, true)),
    );
    observe("skipped", skipped);
    observe("in the end", await server.fields("o/1"));
    observe(
      "a script that throws",
      await outcome(() => operations.send(new PatchOperation("o/1", none, script("throw 'x'")))),
    );
    observe(
      "a script that is none",
      await outcome(() => operations.send(new PatchOperation("o/1", none, script("no script")))),
    );
    observe("no script", await outcome(() => new PatchOperation("o/1", none, script(" "))));
    observe("no patch", await outcome(() => new PatchOperation("o/1", none, none as Any)));
    observe(
      "no id",
      await outcome(() => operations.send(new PatchOperation("", none, script("this.n = 1")))),
    );
    const typed = (await operations.send(
      new PatchOperation("o/1", none, script("this.n = 8")),
      undefined as Any,
      MyUser,
    )) as Any;
    observe("of a class", [typed.status, typed.document instanceof MyUser]);
  },

  "patch by query": async ({ open, observe, server }) => {
    await fill(server, "Ones");
    const store = open();
    const operation = (await store.operations.send(
      new PatchByQueryOperation("from Ones update { this.n += 10 }"),
    )) as Any;
    observe("an operation has", [
      typeof operation.id,
      typeof operation.waitForCompletion,
      typeof operation.kill,
    ]);
    observe("when it is over", await operation.waitForCompletion());
    observe("all are changed", await numbers(server, "Ones"));
    observe("waiting once more", await operation.waitForCompletion());
    const query = new IndexQuery("from Ones as o where id() = $id update { o.n = $n }");
    query.queryParameters = { id: "Ones/3", n: 0 } as Any;
    await ((await store.operations.send(new PatchByQueryOperation(query))) as Any).waitForCompletion();
    observe("with parameters", await numbers(server, "Ones"));
    const nothing = (await store.operations.send(
      new PatchByQueryOperation("from Nobody update { this.n = 1 }"),
    )) as Any;
    observe("that finds nothing", await outcome(() => nothing.waitForCompletion()));
    const indexed = new PatchByQueryOperation(
      new IndexQuery("from Ones where n > 11 update { this.n = 1 }"),
      { allowStale: false, staleTimeout: 60_000 } as Any,
    );
    observe(
      "over an index",
      await outcome(async () => ((await store.operations.send(indexed)) as Any).waitForCompletion()),
    );
    observe("those above 11", await numbers(server, "Ones"));
  },

  "delete by query": async ({ open, observe, server }) => {
    await fill(server, "Twos");
    const store = open();
    const query = new IndexQuery("from Twos where id() in ($ids)");
    query.queryParameters = { ids: ["Twos/1", "Twos/2"] } as Any;
    const some = (await store.operations.send(new DeleteByQueryOperation(query))) as Any;
    observe("when it is over", await some.waitForCompletion());
    observe("those are gone", await numbers(server, "Twos"));
    const all = (await store.operations.send(new DeleteByQueryOperation("from Twos"))) as Any;
    await all.waitForCompletion();
    observe("all are gone", await numbers(server, "Twos"));
    const options = { allowStale: true, retrieveDetails: true, maxOpsPerSecond: 1_000 } as Any;
    const again = (await store.operations.send(
      new DeleteByQueryOperation(new IndexQuery("from Twos"), options),
    )) as Any;
    observe("with options", await outcome(() => again.waitForCompletion()));
  },

  failures: async ({ open, observe, server }) => {
    await fill(server, "Threes");
    const store = open();
    const send = (text: string) => store.operations.send(new PatchByQueryOperation(text)) as Promise<Any>;
    observe("no RQL", await outcome(() => send("frm Threes")));
    observe("no update", await outcome(async () => (await send("from Threes")).waitForCompletion()));
    const throwing = await outcome(async () =>
      (await send("from Threes update { throw 'boom' }")).waitForCompletion(),
    );
    observe("a script that throws", throwing);
    observe(
      "it says why",
      await failure(
        async () => (await send("from Threes update { throw 'boom' }")).waitForCompletion(),
        "boom",
      ),
    );
    observe(
      "an index that is none",
      await outcome(async () => (await send("from index 'None' update { this.n = 1 }")).waitForCompletion()),
    );
    observe("no query", await outcome(() => new PatchByQueryOperation(none)));
    observe("nothing to delete", await outcome(() => new DeleteByQueryOperation(none)));
    observe(
      "another database",
      await outcome(() =>
        store.operations.forDatabase("no such").send(new DeleteByQueryOperation("from Threes")),
      ),
    );
    observe("they are as they were", await numbers(server, "Threes"));
    const other = store.operations.forDatabase(server.database);
    await (
      (await other.send(new PatchByQueryOperation("from Threes update { this.n = 0 }"))) as Any
    ).waitForCompletion();
    observe("of this database by name", await numbers(server, "Threes"));
  },

  killing: async ({ open, observe, fresh }) => {
    const server = await fresh();
    for (let n = 0; n < 50; n++) await server.put(`k/${n}`, { n }, "Slow");
    const store = open(undefined, server);
    const options = { maxOpsPerSecond: 1 } as Any;
    const slow = (await store.operations.send(
      new PatchByQueryOperation(new IndexQuery("from Slow update { this.n = -1 }"), options),
    )) as Any;
    const waiting = outcome(() => slow.waitForCompletion());
    observe("kill gives", await slow.kill());
    observe("who waits is told", await waiting);
  },

  bodies: async ({ open, observe, server }) => {
    await fill(server, "Fours");
    const wire = await recorder(server.url);
    try {
      const { operations } = open(undefined, { url: wire.url });
      const sent = async (operation: Any) => {
        wire.sent.length = 0;
        const result = (await operations.send(operation)) as Any;
        await result?.waitForCompletion?.();
        return wire.sent.filter(({ method }) => method !== "GET")[0];
      };
      const query = new IndexQuery("from Fours update { this.n = $n }");
      query.queryParameters = { n: 1 } as Any;
      observe(
        "patch one",
        await sent(new PatchOperation("Fours/1", none, script("this.n = args.n", { n: 2 }))),
      );
      observe("patch", (await sent(new PatchByQueryOperation("from Fours update { this.n = 1 }"))).body);
      observe("patch with parameters", (await sent(new PatchByQueryOperation(query))).body);
      const route = async (operation: Any) => {
        const { method, route } = (await sent(operation)) as Sent;
        const url = new URL(route, "http://x");
        return [
          method,
          url.pathname,
          Object.fromEntries([...url.searchParams].filter(([, value]) => value !== "" && value !== "false")),
        ];
      };
      const deleting = { allowStale: true, maxOpsPerSecond: 500, retrieveDetails: true } as Any;
      const options = { ...deleting, ignoreMaxStepsForScript: true };
      observe("routes", [
        await route(new PatchByQueryOperation("from Fours update { this.n = 1 }")),
        await route(new PatchByQueryOperation(query, options)),
        await route(new DeleteByQueryOperation("from Nobody")),
        await route(new DeleteByQueryOperation(new IndexQuery("from Nobody"), deleting)),
      ]);
      observe("delete", (await sent(new DeleteByQueryOperation("from Fours"))).body);
    } finally {
      wire.close();
    }
  },
});
