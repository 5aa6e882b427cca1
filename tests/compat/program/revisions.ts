// `session.advanced.revisions`, revisions that are included and forced, and the operations.
import {
  ConfigureRevisionsForConflictsOperation,
  ConfigureRevisionsOperation,
  type DocumentStore,
  EnforceRevisionsConfigurationOperation,
  GetRevisionsOperation,
  RevisionsCollectionConfiguration,
  RevisionsConfiguration,
} from "client";
import { area, outcome, type Section, type Server } from "./harness.js";

class RevUser {
  id?: string;
  constructor(
    public name = "",
    public before: string | null = null,
    public born: Date | undefined = undefined,
  ) {}
}

class RevNote {
  id?: string;
  constructor(public text = "") {}
}

/** Configures revisions of users. */
async function configured(store: DocumentStore): Promise<void> {
  const configuration = new RevisionsConfiguration();
  configuration.collections = new Map([["RevUsers", new RevisionsCollectionConfiguration()]]);
  await store.maintenance.send(new ConfigureRevisionsOperation(configuration));
}

/** A database with four revisions of `users/1`, each of which names the change vector of the one before. */
async function prepared({ open, fresh }: Section) {
  const server = await fresh();
  const store = open(undefined, server);
  await configured(store);
  const session = store.openSession();
  const user = new RevUser("a", null, new Date(0));
  await session.store(user, "users/1");
  await session.saveChanges();
  for (const name of ["b", "c", "d"]) {
    user.before = session.advanced.getChangeVectorFor(user);
    user.name = name;
    await session.saveChanges();
  }
  return { server, store, session: store.openSession() };
}

const names = (list: (RevUser | null)[]) => list.map((user) => user?.name);

const countOf = async (server: Server, id: string) =>
  ((await (await server.send("GET", `/revisions/count?id=${id}`)).json()) as { RevisionsCount: number })
    .RevisionsCount;

export default area({
  "all revisions of a document": async (section) => {
    const { observe, better } = section;
    const { session } = await prepared(section);
    const { revisions } = session.advanced;
    const all = await revisions.getFor<RevUser>("users/1");
    observe("newest first", names(all));
    const [first] = all;
    observe("the class", first instanceof RevUser);
    observe("values", [first?.born instanceof Date, first?.id]);
    observe("a page", names(await revisions.getFor<RevUser>("users/1", { start: 1, pageSize: 2 })));
    observe("of a class", names(await revisions.getFor("users/1", { documentType: RevUser, pageSize: 1 })));
    observe("none", await revisions.getFor("users/9"));
    observe("counts", [await revisions.getCountFor("users/1"), await revisions.getCountFor("users/9")]);
    observe("requests", session.advanced.numberOfRequests);
    if (!first) return;
    const metadata = session.advanced.getMetadataFor(first);
    observe("its metadata", [metadata["@flags"], metadata["@collection"], metadata["@id"]]);
    observe("its vector", session.advanced.getChangeVectorFor(first) === metadata["@change-vector"]);
    observe("its time", session.advanced.getLastModifiedFor(first) instanceof Date);
    observe("its id", session.advanced.getDocumentId(first));
    observe("nothing is changed", session.advanced.hasChanges());
    first.name = "changed";
    better("a changed revision is no change of the document", session.advanced.hasChanges(), {
      ravendb: true,
      edge: false,
    });
    observe("missing ids", [
      await outcome(() => revisions.getFor("")),
      await outcome(() => revisions.getMetadataFor("")),
      await outcome(() => revisions.getCountFor("")),
    ]);
  },

  "metadata of revisions": async (section) => {
    const { observe } = section;
    const { session } = await prepared(section);
    const { revisions } = session.advanced;
    const all = await revisions.getMetadataFor("users/1");
    observe("members", Object.keys(all[0] ?? {}).sort());
    observe(
      "flags",
      all.map((metadata) => metadata["@flags"]),
    );
    observe("a page", (await revisions.getMetadataFor("users/1", { start: 3, pageSize: 5 })).length);
    observe("none", await revisions.getMetadataFor("users/9"));
  },

  "by change vectors and dates": async (section) => {
    const { observe } = section;
    const { session } = await prepared(section);
    const { revisions } = session.advanced;
    const vectors = (await revisions.getMetadataFor("users/1")).map((each) => String(each["@change-vector"]));
    const [newest = "", second = "", , oldest = ""] = vectors;
    observe("one", (await revisions.get<RevUser>(second))?.name);
    observe("of a class", (await revisions.get<RevUser>(oldest, RevUser)) instanceof RevUser);
    const several = await revisions.get<RevUser>([newest, oldest]);
    observe(
      "several",
      vectors.map((vector) => several[vector]?.name),
    );
    observe("of a class", several[newest] instanceof RevUser);
    observe("none", await revisions.get("Z:1-aaaaaaaaaaaaaaaaaaaaaa"));
    const mixed = await revisions.get<RevUser>([second, "Z:1-aaaaaaaaaaaaaaaaaaaaaa"]);
    observe(
      "one of them",
      Object.values(mixed).map((each) => each?.name ?? null),
    );
    observe("no vector", await outcome(() => revisions.get(null as never)));
    observe("before now", (await revisions.get<RevUser>("users/1", new Date()))?.name);
    observe("of a class", (await revisions.get("users/1", new Date(), RevUser)) instanceof RevUser);
    observe("before the first", await revisions.get("users/1", new Date(0)));
    observe("of none", await revisions.get("users/9", new Date()));
    observe("requests", session.advanced.numberOfRequests);
  },

  lazily: async (section) => {
    const { observe, better } = section;
    const { store, session } = await prepared(section);
    const vectors = (await store.openSession().advanced.revisions.getMetadataFor("users/1")).map((each) =>
      String(each["@change-vector"]),
    );
    const [newest = "", second = ""] = vectors;
    const { lazily } = session.advanced.revisions;
    const all = lazily.getFor<RevUser>("users/1", { pageSize: 2 });
    const metadata = lazily.getMetadataFor("users/1", { pageSize: 1 });
    const one = lazily.get<RevUser>(second, RevUser);
    const several = lazily.get<RevUser>([newest, second]);
    const dated = lazily.get<RevUser>("users/1", new Date());
    const missing = lazily.get("Z:1-aaaaaaaaaaaaaaaaaaaaaa");
    const empty = lazily.getFor("users/9");
    observe("not yet", [all.isValueCreated(), session.advanced.numberOfRequests]);
    observe("all", names(await all.getValue()));
    observe("at once", session.advanced.numberOfRequests);
    observe("metadata", (await metadata.getValue())[0]?.["@flags"]);
    observe("one", (await one.getValue())?.name);
    observe("of a class", (await one.getValue()) instanceof RevUser);
    observe(
      "several",
      vectors.slice(0, 2).map(async (vector) => (await several.getValue())[vector]?.name).length,
    );
    observe(
      "their names",
      Object.values(await several.getValue()).map((each) => (each as RevUser).name),
    );
    observe("by date", (await dated.getValue())?.name);
    better("missing", await missing.getValue(), { ravendb: undefined, edge: null });
    observe("of none", await empty.getValue());
    observe("requests", session.advanced.numberOfRequests);
  },

  "included with documents": async (section) => {
    const { observe } = section;
    const { store } = await prepared(section);
    const open = () => store.openSession();
    let session = open();
    const user = await session.load<RevUser>("users/1", {
      includes: (builder) => builder.includeRevisions("before"),
    });
    observe("by path", (await session.advanced.revisions.get<RevUser>(user?.before ?? ""))?.name);
    observe("again", (await session.advanced.revisions.get<RevUser>(user?.before ?? ""))?.name);
    observe("requests", session.advanced.numberOfRequests);
    session = open();
    const now = new Date();
    await session.load<RevUser>("users/1", { includes: (builder) => builder.includeRevisions(now) });
    observe("by date", (await session.advanced.revisions.get<RevUser>("users/1", now))?.name);
    observe("requests", session.advanced.numberOfRequests);
    session = open();
    const [found] = await session
      .query<RevUser>({ collection: "RevUsers" })
      .include((builder) => builder.includeRevisions("before").includeRevisions(now))
      .all();
    observe("by a query", (await session.advanced.revisions.get<RevUser>(found?.before ?? ""))?.name);
    observe("and its date", (await session.advanced.revisions.get<RevUser>("users/1", now))?.name);
    observe("requests", session.advanced.numberOfRequests);
    session = open();
    const [raw] = await session.advanced
      .rawQuery<RevUser>("from RevUsers include revisions($path)")
      .addParameter("path", "before")
      .all();
    observe("by a raw query", (await session.advanced.revisions.get<RevUser>(raw?.before ?? ""))?.name);
    observe("requests", session.advanced.numberOfRequests);
  },

  "forced by a save": async (section) => {
    const { observe } = section;
    const server = await section.fresh();
    const store = section.open(undefined, server);
    let session = store.openSession();
    const created = new RevNote("1");
    await session.store(created, "notes/1");
    await session.saveChanges();
    session.advanced.revisions.forceRevisionCreationFor(created);
    observe("no change", session.advanced.hasChanges());
    const vector = session.advanced.getChangeVectorFor(created);
    await session.saveChanges();
    observe("of an unchanged document", await countOf(server, "notes/1"));
    observe("it has another vector", vector !== session.advanced.getChangeVectorFor(created));
    observe(
      "the vector is current",
      session.advanced.getChangeVectorFor(created) === (await server.vector("notes/1")),
    );
    session.advanced.useOptimisticConcurrency = true;
    created.text = "2";
    session.advanced.revisions.forceRevisionCreationFor(created, "Before");
    await session.saveChanges();
    observe("of a changed document: nothing new", await countOf(server, "notes/1"));
    created.text = "3";
    session.advanced.revisions.forceRevisionCreationFor("notes/1");
    await session.saveChanges();
    observe("by id", await countOf(server, "notes/1"));
    const texts = async () =>
      (await store.openSession().advanced.revisions.getFor<RevNote>("notes/1")).map(({ text }) => text);
    observe("as they were before", await texts());
    created.text = "4";
    await session.saveChanges();
    observe("a later save makes none", await texts());
    session = store.openSession();
    session.advanced.revisions.forceRevisionCreationFor("notes/1");
    await session.saveChanges();
    observe("of a document that is not loaded", await texts());
    observe("requests", session.advanced.numberOfRequests);
    await session.saveChanges();
    observe("once", [session.advanced.numberOfRequests, (await texts()).length]);
  },

  "forced, and refused": async (section) => {
    const { observe } = section;
    const server = await section.fresh();
    const store = section.open(undefined, server);
    let session = store.openSession();
    const created = new RevNote("new");
    await session.store(created, "notes/1");
    session.advanced.revisions.forceRevisionCreationFor(created);
    observe("a new document", await outcome(() => session.saveChanges()));
    observe("is not stored", await server.fields("notes/1"));
    session = store.openSession();
    const { revisions } = session.advanced;
    observe("nothing", await outcome(() => revisions.forceRevisionCreationFor(null as never)));
    observe("an empty id", await outcome(() => revisions.forceRevisionCreationFor("")));
    observe("another entity", await outcome(() => revisions.forceRevisionCreationFor(new RevNote("x"))));
    observe("twice", [
      await outcome(() => revisions.forceRevisionCreationFor("notes/9")),
      await outcome(() => revisions.forceRevisionCreationFor("notes/9")),
    ]);
    observe("another strategy", await outcome(() => revisions.forceRevisionCreationFor("notes/9", "None")));
    observe("a document that does not exist", await outcome(() => session.saveChanges()));
  },

  configurations: async (section) => {
    const { observe } = section;
    const server = await section.fresh();
    const store = section.open(undefined, server);
    const send = (configuration: RevisionsConfiguration) =>
      outcome(
        async () =>
          typeof (await store.maintenance.send(new ConfigureRevisionsOperation(configuration)))
            .raftCommandIndex,
      );
    const users = new RevisionsCollectionConfiguration();
    users.minimumRevisionsToKeep = 2;
    users.purgeOnDelete = true;
    users.disabled = false;
    const configuration = new RevisionsConfiguration();
    configuration.collections = new Map([["RevUsers", users]]);
    observe("of a collection", await send(configuration));
    const session = store.openSession();
    const user = new RevUser("1");
    await session.store(user, "users/1");
    for (const name of ["2", "3", "4"]) {
      user.name = name;
      await session.saveChanges();
    }
    observe("two are kept", await countOf(server, "users/1"));
    users.minimumRevisionAgeToKeep = "10.00:00:00";
    observe("with an age", await send(configuration));
    configuration.defaultConfig = new RevisionsCollectionConfiguration();
    observe("a default needs a licence", await send(configuration));
    observe("no configuration", await outcome(() => new ConfigureRevisionsOperation(null as never)));
    const read = (id: string, start?: number) =>
      store.operations.send(
        new GetRevisionsOperation<RevUser>(id, { start, pageSize: 1, documentType: RevUser } as object),
      );
    const result = await read("users/1");
    observe("read by an operation", [
      result.totalResults,
      result.results.map(({ name }) => name),
      result.results[0] instanceof RevUser,
    ]);
    observe(
      "a page",
      (await read("users/1", 1)).results.map(({ name }) => name),
    );
    observe("of none", await read("users/9"));
    observe("without an id", await outcome(() => read("")));
    const enforced = (await store.operations.send(
      new EnforceRevisionsConfigurationOperation({
        includeForceCreated: true,
        collections: ["RevUsers"],
      }) as never,
    )) as object as { operationId: number; operationNodeTag: string };
    observe("enforced", [typeof enforced.operationId, enforced.operationNodeTag]);
    observe(
      "too slow",
      await outcome(
        () => new EnforceRevisionsConfigurationOperation({ includeForceCreated: false, maxOpsPerSecond: 0 }),
      ),
    );
    const conflicts = new ConfigureRevisionsForConflictsOperation(
      server.database,
      new RevisionsCollectionConfiguration(),
    );
    const done = await store.maintenance.server.send(conflicts);
    observe("of conflicts", typeof done.raftCommandIndex);
  },
});
