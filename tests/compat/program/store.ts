// The store: its database, its events, its other members.
import Standard, {
  DocumentStore,
  GetDatabaseNamesOperation,
  GetStatisticsOperation,
  HiloIdGenerator,
  MultiDatabaseHiLoIdGenerator,
} from "client";
import { area, fails, outcome, plain } from "./harness.js";

class MyGadget {
  id?: string;
  n = 1;
}

/** A store with a database of its own, or without one. */
const bare = (url: string, database?: string) => {
  const store = new DocumentStore(url, database as string);
  store.conventions.disableTopologyUpdates = true;
  return store;
};

export default area({
  "the package": async ({ observe }) => {
    observe("its default export is the store", Standard === DocumentStore);
  },

  "a store without a database": async ({ server, observe, better }) => {
    const store = bare(server.url);
    store.initialize();
    const session = store.openSession(server.database);
    await session.store(plain({ n: 1 }, "Parts"), "parts/1");
    await session.saveChanges();
    observe("openSession(name) saves", await server.fields("parts/1"));
    const other = store.openSession({ database: server.database });
    observe("openSession({ database }) loads", (await other.load<{ n: number }>("parts/1"))?.n);
    observe("openSession() is refused", await outcome(() => store.openSession()));
    const statistics = () =>
      store.maintenance.forDatabase(server.database).send(new GetStatisticsOperation());
    observe("maintenance.forDatabase(name)", (await statistics()).countOfDocuments >= 1);
    observe(
      "maintenance without one",
      await outcome(() => store.maintenance.send(new GetStatisticsOperation())),
    );
    observe(
      "maintenance.forDatabase(undefined)",
      await outcome(() =>
        store.maintenance.forDatabase(undefined as unknown as string).send(new GetStatisticsOperation()),
      ),
    );
    better(
      "operations.forDatabase(name)",
      await outcome(() => store.operations.forDatabase(server.database) !== undefined),
      { ravendb: fails("InvalidOperationException"), edge: true },
    );
    const names = await store.maintenance.server.send(new GetDatabaseNamesOperation(0, 1_000));
    observe("maintenance.server", names.includes(server.database));
    observe("identifier", store.identifier === server.url);
    await Promise.resolve(store.dispose());
  },

  "a store with a database": async ({ open, observe, server }) => {
    const store = open();
    observe("identifier", store.identifier === `${server.url} DB: ${server.database}`);
    store.identifier = "mine";
    observe("of the app's own", store.identifier);
    const statistics = store.maintenance.forDatabase(undefined as unknown as string);
    observe(
      "maintenance.forDatabase(undefined) is its own",
      (await statistics.send(new GetStatisticsOperation())).countOfDocuments >= 0,
    );
    const away = await outcome(() => {
      new DocumentStore(server.url, server.database, null as never).initialize();
    });
    observe("null in place of options", away);
  },

  "set before initialize": async ({ server, observe }) => {
    const store = bare("http://127.0.0.1:1", "none");
    store.urls = [server.url];
    store.database = server.database;
    observe("its identifier follows", store.identifier === `${server.url} DB: ${server.database}`);
    store.authOptions = { certificate: "none", password: "secret" };
    observe("what is read", [store.urls, store.database, store.authOptions?.password]);
    store.authOptions = null as never;
    store.initialize();
    const session = store.openSession();
    await session.store(plain({ n: 1 }, "Parts"), "parts/set");
    await session.saveChanges();
    observe("it saves there", await server.fields("parts/set"));
    for (const name of ["urls", "database", "conventions", "authOptions"] as const)
      observe(`${name} afterwards`, await outcome(() => Reflect.set(store, name, store[name])));
    store.identifier = "for the log";
    observe("identifier afterwards", session.advanced.storeIdentifier === `for the log;${server.database}`);
    await Promise.resolve(store.dispose());
  },

  "events of its end": async ({ open, observe }) => {
    const store = open();
    const told: string[] = [];
    const never = () => told.push("removed");
    store.once("beforeDispose", never);
    store.removeListener("beforeDispose", never);
    store.on("beforeDispose", () => told.push("beforeDispose"));
    store.on("afterDispose", (done) => {
      told.push(`afterDispose(${typeof done})`);
      setTimeout(() => {
        told.push("done");
        done();
      }, 20);
    });
    const ended = new Promise<void>((resolve) => {
      store.once("executorsDisposed", () => {
        told.push("executorsDisposed");
        resolve();
      });
    });
    Promise.resolve(store.dispose());
    observe("before it", [...told]);
    await ended;
    observe("all", told);
  },

  once: async ({ open, observe }) => {
    const store = open();
    let sessions = 0;
    store.once("sessionCreated", () => sessions++);
    store.openSession();
    store.openSession();
    observe("is told once", sessions);
  },

  "request executor": async ({ open, observe, server }) => {
    const store = open();
    const executor = store.getRequestExecutor();
    observe("is the same each time", executor === store.getRequestExecutor());
    observe("also by the name of the database", executor === store.getRequestExecutor(server.database));
    observe("getUrl", executor.getUrl() === server.url);
    observe("conventions", executor.conventions.identityProperty);
    const told: string[] = [];
    const before = ({ url }: { url: string }) => told.push(new URL(url).pathname.split("/").at(-1) as string);
    executor.on("beforeRequest", before);
    await store.openSession().load("none/1");
    await new Promise((resolve) => setTimeout(resolve));
    observe("beforeRequest", told);
    executor.off("beforeRequest", before);
    await store.openSession().load("none/2");
    await new Promise((resolve) => setTimeout(resolve));
    observe("and no more after off", told.length);
    await server.put("cached/1", { n: 1 });
    await store.openSession().load("cached/1");
    observe("cache.numberOfItems", executor.cache.numberOfItems > 0);
    executor.cache.clear();
    observe("cache.clear", executor.cache.numberOfItems);
    observe("dispose", executor.dispose());
  },

  hiLoIdGenerator: async ({ open, observe, better, server }) => {
    const store = open();
    const generator = store.hiLoIdGenerator;
    const { database } = server;
    observe("of a name", [
      await generator.generateNextIdFor(database, "widgets"),
      await generator.generateNextIdFor(database, "widgets"),
    ]);
    const [type, entity, id] = [
      await generator.generateNextIdFor(database, MyGadget),
      await generator.generateNextIdFor(database, new MyGadget()),
      await generator.generateDocumentId(database, new MyGadget()),
    ];
    observe("of a class and of an entity", entity - type);
    // npm `ravendb` leases for `MyGadgets` and for the prefix apart.
    observe("generateDocumentId", id.replace(/\d+/, "n"));
    const one = await generator.generateNextIdFor(null as unknown as string, "Widgets");
    better("the same name in other letter case", one, { ravendb: 33, edge: 3 });
    observe("returnUnusedRange", await generator.returnUnusedRange());
    observe(
      "conventions.generateDocumentId",
      (await store.conventions.generateDocumentId(database, new MyGadget())).replace(/\d+/, "n"),
    );
  },

  "generators of the app's own": async ({ open, observe, server }) => {
    const store = open();
    const gizmos = new HiloIdGenerator("gizmos", store, server.database, "/");
    observe("getNextId", [await gizmos.getNextId(), await gizmos.getNextId()]);
    observe("generateDocumentId", await gizmos.generateDocumentId({}));
    observe("returnUnusedRange", await gizmos.returnUnusedRange());
    observe("the next client goes on there", (await gizmos.getNextId()).id);
    const all = new MultiDatabaseHiLoIdGenerator(store);
    observe("of all", await all.generateNextIdFor(server.database, "doodads"));
    const literal = await all.generateDocumentId(server.database, {});
    observe("an object without collection", literal === null || literal === "");
    observe("gives back", await all.returnUnusedRange());
  },

  "names that nobody knows": async ({ open, better, server }) => {
    const store = open();
    // npm `ravendb` ignores them.
    const refused = fails("InvalidArgumentException");
    const unknown = (name: string, run: () => unknown) =>
      outcome(() => {
        run();
        return "taken";
      }).then((value) => better(name, value, { ravendb: "taken", edge: refused }));
    await unknown("an option of a session", () => store.openSession({ noTrackng: true } as never));
    await unknown("a mode", () => store.openSession({ transactionMode: "Clusterwide" } as never));
    await unknown("a mode of concurrency", () =>
      store.openSession({ optimisticConcurrencyMode: "writes" } as never),
    );
    await unknown("an event of sessions", () => store.addSessionListener("beforeStor" as never, () => {}));
    await unknown("an event of the store", () => store.on("beforeDispos" as never, () => {}));
    await unknown("an event of a session", () =>
      store.openSession().advanced.on("beforeStor" as never, () => {}),
    );
    await unknown("an option of a store", () =>
      new DocumentStore(server.url, "x", { certifcate: "x" } as never).initialize(),
    );
    await unknown("a convention", () => {
      (bare(server.url, "x").conventions as unknown as Record<string, unknown>).identityPropertty = "key";
    });
  },
});
