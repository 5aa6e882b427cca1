// Requests that fail: options that are null, missing databases, unreachable servers.
import { type DocumentStore, GetDocumentsCommand, PutDocumentCommand } from "client";
import { area, fails, failure, outcome, plain } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: null where the types have none
type Any = any;

/** Nobody listens there: it is above the ports that systems give out. */
const DEAD = "http://127.0.0.1:65535";
/** Nothing is sent there: the Fetch standard forbids the port. */
const FORBIDDEN = "http://127.0.0.1:1";

/** The messages and codes of the causes of an error. */
async function causes(call: () => Promise<unknown>): Promise<unknown> {
  const found: unknown[] = [];
  const thrown = await call().catch((error: unknown) => error);
  for (let at = (thrown as Any)?.cause; at; at = at.cause) found.push([at.message, at.code ?? null]);
  return found;
}

export default area({
  "null among the options": async ({ open, observe, server }) => {
    await server.put("n/1", { n: 1, next: "n/2" }, "Orders");
    await server.put("n/2", { n: 2 }, "Orders");
    const store = open();
    const get = async (options: object) => {
      const command = new GetDocumentsCommand({ ...options, conventions: store.conventions } as Any);
      await store.getRequestExecutor().execute(command);
      return command.result.results.map((found: Any) => found?.n ?? null);
    };
    observe("no includes", await get({ id: "n/1", includes: null }));
    observe("ids that are none", await get({ ids: ["n/1", null, undefined, "n/2"] }));
    observe("no id", await outcome(() => get({ id: null })));
    observe(
      "a beginning and nothing else",
      await get({ startsWith: "n/", start: 0, pageSize: 9, matches: null, exclude: null, startAfter: null }),
    );
    const session = store.openSession();
    observe("isLoaded of null", session.advanced.isLoaded(null as Any));
    observe("isLoaded of undefined", session.advanced.isLoaded(undefined as Any));
    observe("load with no includes", ((await session.load("n/1", { includes: null } as Any)) as Any).n);
  },

  "null where a save is to wait": async ({ open, observe, server }) => {
    const saving = async (name: string, wait: (advanced: Any) => void) => {
      const session = open().openSession();
      await session.store(plain({ name }), `w/${name}`);
      wait(session.advanced);
      observe(name, await outcome(() => session.saveChanges().then(() => "saved")));
      observe(`${name}: is there`, await server.fields(`w/${name}`));
    };
    await saving("indexes", (advanced) => advanced.waitForIndexesAfterSaveChanges({ indexes: null }));
    await saving("no options", (advanced) => advanced.waitForIndexesAfterSaveChanges(null));
    // One node has nowhere to replicate to: the server waits in vain for the one replica that is meant.
    await saving("replicas", (advanced) =>
      advanced.waitForReplicationAfterSaveChanges({ replicas: null, timeout: 200 }),
    );
  },

  "a compare exchange value in a transaction of one node": async ({ open, better, server }) => {
    const session = open().openSession();
    const Type = "CompareExchangePUT";
    const command = {
      type: Type,
      id: "k",
      serialize: () => ({ Id: "k", Type, Index: 0, Document: { Object: 1 } }),
    };
    session.advanced.defer(command as Any);
    better("the save", await outcome(() => session.saveChanges().then(() => "saved")), {
      ravendb: "saved",
      edge: fails("InvalidOperationException"),
    });
    const stored = await server.send("GET", "/cmpxchg?key=k");
    better("is stored", stored.status === 200 && ((await stored.json()) as Any).Results.length > 0, {
      ravendb: false,
      edge: false,
    });
  },

  "a missing database": async ({ open, observe, server }) => {
    const store = open(undefined, { url: server.url, database: "compat-is-not-there" });
    const executor = store.getRequestExecutor();
    observe("load", await failure(() => store.openSession().load("a/1")));
    observe("query", await failure(() => store.openSession().query({ collection: "Orders" }).all()));
    observe(
      "a command that reads",
      await failure(() =>
        executor.execute(new GetDocumentsCommand({ id: "a/1", conventions: store.conventions })),
      ),
    );
    observe(
      "a command that writes",
      await failure(() => executor.execute(new PutDocumentCommand("a/1", null as Any, {}))),
    );
  },

  "a server that is down": async ({ open, better, observe }) => {
    const store = open(undefined, { url: DEAD });
    const quick = async (name: string, work: () => Promise<unknown>) => {
      const started = performance.now();
      better(name, await failure(work), {
        ravendb: fails("RavenException"),
        edge: fails("AllTopologyNodesDownException"),
      });
      observe(`${name}: without retries`, performance.now() - started < 5_000);
      observe(`${name}: causes`, await causes(work));
    };
    await quick("load", () => store.openSession().load("a/1"));
    await quick("query", () => store.openSession().query({ collection: "Orders" }).all());
    await quick("stream", async () => store.openSession().advanced.stream("a/"));
    await quick("lazy", async () => {
      const session = store.openSession();
      session.advanced.lazily.load("a/1");
      await session.advanced.eagerly.executeAllPendingLazyOperations();
    });
    await quick("save", async () => {
      const session = store.openSession();
      await session.store(plain({}), "a/1");
      await session.saveChanges();
    });
  },

  "the first of two addresses is forbidden": async ({ open, better, server }) => {
    const two = () => open(undefined, { url: [FORBIDDEN, server.url] as Any }) as DocumentStore;
    const save = async () => {
      const session = two().openSession();
      await session.store(plain({ n: 1 }), "two/1");
      await session.saveChanges();
      return "saved";
    };
    better("save", await outcome(save), { ravendb: fails("RavenException"), edge: "saved" });
    await server.put("two/1", { n: 1 }, "Orders");
    better("load", await outcome(async () => ((await two().openSession().load("two/1")) as Any).n), {
      ravendb: fails("RavenException"),
      edge: 1,
    });
  },
});
