// `store.subscriptions`: managing subscriptions, batches, events, sessions of batches. A server without a licence has three of them.
import { type DocumentStore, type SubscriptionCreationOptions, TimeValue } from "client";
import { area, fails, outcome, type Section, type Server, within } from "./harness.js";

class SubUser {
  id?: string;
  seen?: boolean;
  constructor(
    public name = "",
    public company = "",
    public born: Date | undefined = undefined,
  ) {}
}

class SubCompany {
  id?: string;
  constructor(public name = "") {}
}
type Worker = ReturnType<DocumentStore["subscriptions"]["getSubscriptionWorker"]>;
type Batch = { items: { result: object }[]; getNumberOfItemsInBatch(): number };
type Done = (error?: Error) => void;

/** A store on a database of its own with five users, whose ids end with 1 to 5, and their company. */
async function prepared({ open, fresh }: Section, count = 5) {
  const server = await fresh();
  const store = open((conventions) => {
    conventions.findCollectionNameForObjectLiteral = () => "Things";
  }, server);
  const session = store.openSession();
  await session.store(new SubCompany("Größe"), "companies/1");
  for (let at = 1; at <= count; at++)
    await session.store(new SubUser(`user ${at}`, "companies/1", new Date(0)), `users/${at}`);
  await session.saveChanges();
  return { server, store, subscriptions: store.subscriptions };
}

/** A section that deletes its subscriptions: a server without a licence has 15 in all its databases. */
function tidy(body: (section: Section) => Promise<void>) {
  return async (section: Section) => {
    const servers: Server[] = [];
    const fresh = async () => {
      const server = await section.fresh();
      servers.push(server);
      return server;
    };
    try {
      await body({ ...section, fresh });
    } finally {
      for (const server of servers) {
        const response = await server.send("GET", "/subscriptions?start=0&pageSize=10");
        const { Results } = (await response.json()) as { Results: { SubscriptionName: string }[] };
        for (const { SubscriptionName } of Results)
          await server.send("DELETE", `/subscriptions?taskName=${SubscriptionName}`);
      }
    }
  };
}

const EVENTS = [
  "error",
  "end",
  "connectionRetry",
  "unexpectedSubscriptionError",
  "onEstablishedSubscriptionConnection",
  "afterAcknowledgment",
] as const;

/** Listens to all events until the worker ends; gives their names, and those of their errors, in order. */
function events(worker: Worker, listener: (batch: Batch, done: Done, at: number) => void): Promise<string[]> {
  const seen: string[] = [];
  const ended = new Promise<string[]>((resolve) => {
    for (const event of EVENTS)
      (worker as { on(event: string, listener: (given?: unknown) => void): unknown }).on(event, (given) => {
        seen.push(given instanceof Error ? `${event}: ${given.name}` : event);
        if (event === "end") resolve(seen);
      });
    let at = 0;
    worker.on("batch", (batch, done) => {
      seen.push(`batch of ${batch.getNumberOfItemsInBatch()}`);
      listener(batch as Batch, done as Done, at++);
    });
  });
  return within(60_000, ended);
}

/** Receives batches until `count` documents were acknowledged. */
function receive(
  worker: Worker,
  count: number,
  listener: (batch: Batch) => unknown = () => {},
): Promise<void> {
  let received = 0;
  const all = new Promise<void>((resolve, reject) => {
    worker.on("error", (error) => reject(error));
    worker.on("afterAcknowledgment", () => received >= count && worker.dispose());
    worker.on("end", () => resolve());
    worker.on("batch", async (batch, done) => {
      try {
        received += batch.getNumberOfItemsInBatch();
        await listener(batch as Batch);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
  });
  return within(60_000, all);
}

export default area({
  "created, listed, found, deleted": tidy(async (section) => {
    const { observe, better } = section;
    const { subscriptions } = await prepared(section);
    observe("by query", await subscriptions.create({ name: "a", query: "from SubUsers" }));
    observe("by class", await subscriptions.create({ name: "b", documentType: SubUser }));
    const generated = await subscriptions.create(SubUser);
    observe("without a name: a number", /^\d+$/.test(generated));
    const listed = await subscriptions.getSubscriptions(0, 10);
    observe(
      "listed",
      listed.map(({ subscriptionName }) => subscriptionName === generated || subscriptionName).sort(),
    );
    observe("a page", (await subscriptions.getSubscriptions(1, 1)).length);
    const state = await subscriptions.getSubscriptionState("b");
    observe("the query of a class", state.query);
    observe("members", Object.keys(state).sort());
    observe("nothing sent", [
      state.changeVectorForNextBatchStartingPoint,
      state.lastBatchAckTime,
      state.disabled,
    ]);
    await subscriptions.delete("a");
    observe("deleted", await outcome(() => subscriptions.getSubscriptionState("a")));
    observe("deleted again", await outcome(() => subscriptions.delete("a")));
    observe("a name twice", await outcome(() => subscriptions.create({ name: "b", query: "from Others" })));
    observe("an invalid query", await outcome(() => subscriptions.create({ name: "c", query: "from from" })));
    better("without a query", await outcome(() => subscriptions.create({ name: "c" })), {
      ravendb: fails("RavenException"),
      edge: fails("InvalidArgumentException"),
    });
    observe("no name", await outcome(() => subscriptions.getSubscriptionState("")));
    observe(
      "a blank query of a missing database",
      await outcome(() => subscriptions.getSubscriptions(0, 1, "none")),
    );
  }),

  "updated, disabled, enabled, dropped": tidy(async (section) => {
    const { observe } = section;
    const { subscriptions } = await prepared(section);
    await subscriptions.create({ name: "a", query: "from SubUsers" });
    const { subscriptionId } = await subscriptions.getSubscriptionState("a");
    observe(
      "updated",
      await subscriptions.update({ name: "a", query: "from SubUsers where name = 'user 1'" }),
    );
    observe(
      "again, without a change",
      await subscriptions.update({ name: "a", query: "from SubUsers where name = 'user 1'" }),
    );
    observe("the query", (await subscriptions.getSubscriptionState("a")).query);
    observe(
      "renamed by id",
      await subscriptions.update({ id: subscriptionId, name: "b", query: "from SubUsers" }),
    );
    observe(
      "created by update",
      await subscriptions.update({ name: "c", query: "from SubUsers", createNew: true }),
    );
    observe(
      "none to update",
      await outcome(() => subscriptions.update({ name: "zz", query: "from SubUsers" })),
    );
    observe("neither name nor id", await outcome(() => subscriptions.update({ query: "from SubUsers" })));
    observe("disable", await outcome(() => subscriptions.disable("b")));
    observe("disabled", (await subscriptions.getSubscriptionState("b")).disabled);
    const worker = subscriptions.getSubscriptionWorker("b");
    observe("a worker of a disabled one", await events(worker, (_, done) => done()));
    observe("enable", await outcome(() => subscriptions.enable("b")));
    observe("enabled", (await subscriptions.getSubscriptionState("b")).disabled);
    observe("disable none", await outcome(() => subscriptions.disable("zz")));
    observe("drop a connection that is not there", await outcome(() => subscriptions.dropConnection("b")));
    observe("drop none", await outcome(() => subscriptions.dropConnection("zz")));
  }),

  "batches and their documents": tidy(async (section) => {
    const { observe } = section;
    const { subscriptions } = await prepared(section);
    await subscriptions.create({ name: "a", documentType: SubUser });
    const worker = subscriptions.getSubscriptionWorker<SubUser>({
      subscriptionName: "a",
      documentType: SubUser,
      maxDocsPerBatch: 2,
    });
    observe("before", [typeof worker.getWorkerId(), worker.subscriptionName, worker.currentNodeTag]);
    const sizes: number[] = [];
    const names: string[] = [];
    await receive(worker as Worker, 5, (batch) => {
      sizes.push(batch.getNumberOfItemsInBatch());
      const items = (batch as { items: unknown[] }).items as {
        id: string;
        changeVector: string;
        projection: boolean;
        revision: boolean;
        exceptionMessage: unknown;
        metadata: object;
        rawMetadata: object;
        rawResult: { name: string };
        result: SubUser;
      }[];
      for (const { id, changeVector, result, rawResult, metadata, rawMetadata, ...rest } of items) {
        names.push(result.name);
        if (id !== "users/1") continue;
        observe("the item", [
          id,
          result.id,
          result instanceof SubUser,
          result.born instanceof Date,
          rawResult.name,
        ]);
        observe("its flags", [rest.projection, rest.revision, rest.exceptionMessage]);
        observe(
          "its metadata",
          Object.entries(metadata).filter(([name]) => !/last-modified|vector/.test(name)),
        );
        observe("raw metadata", Object.keys(rawMetadata).length === Object.keys(metadata).length);
        observe("its vector", changeVector === (metadata as Record<string, string>)["@change-vector"]);
      }
    });
    observe("sizes", sizes);
    observe("names", names.sort());
    const state = await subscriptions.getSubscriptionState("a");
    observe("acknowledged", [
      typeof state.lastBatchAckTime,
      typeof state.changeVectorForNextBatchStartingPoint,
    ]);
    const rest = subscriptions.getSubscriptionWorker({
      subscriptionName: "a",
      // The server may still count the connection that was closed.
      strategy: "WaitForFree",
      closeWhenNoDocsLeft: true,
    });
    observe("nothing is left", await events(rest, (_, done) => done()));
  }),

  "projections, filters, plain objects": tidy(async (section) => {
    const { observe } = section;
    const { subscriptions } = await prepared(section);
    await subscriptions.create({
      name: "a",
      query: "from SubUsers as u where u.name = 'user 3' select { Upper: u.name.toUpperCase(), u }",
    });
    const worker = subscriptions.getSubscriptionWorker("a");
    await receive(worker, 1, ({ items }) => {
      const [item] = items as { result: object; projection: boolean; id: string }[];
      const { Upper, u } = (item?.result ?? {}) as { Upper?: string; u?: { name: string } };
      observe("projected", [
        Upper,
        u?.name,
        item?.projection,
        item?.id,
        (item?.result as { id?: string } | undefined)?.id,
      ]);
    });
    await subscriptions.create({ name: "b", query: "from SubUsers where name = 'user 4'" });
    await receive(subscriptions.getSubscriptionWorker("b"), 1, ({ items }) => {
      const result = items[0]?.result as { name: string; id: string; "@metadata": object };
      observe("by its registered class", [result.name, result.id, result.constructor.name]);
    });
    await subscriptions.create({ name: "c", query: "from SubUsers as u where u.name.fails()" });
    const failing = subscriptions.getSubscriptionWorker({ subscriptionName: "c", closeWhenNoDocsLeft: true });
    observe(
      "a filter that fails",
      await events(failing, ({ items }, done) => {
        const failed = items as object as { exceptionMessage?: string; id: string }[];
        observe(
          "its items",
          failed.map(({ exceptionMessage, id }) => [id, typeof exceptionMessage]),
        );
        done();
      }),
    );
  }),

  "metadata of a batch that a listener changes": tidy(async (section) => {
    const { observe } = section;
    const { server, subscriptions } = await prepared(section);
    await subscriptions.create({ name: "a", documentType: SubUser });
    const worker = subscriptions.getSubscriptionWorker<SubUser>({
      subscriptionName: "a",
      documentType: SubUser,
    });
    type Item = { result: SubUser; metadata: Record<string, unknown> };
    let isSaved = false;
    await receive(worker as Worker, 5, async (given) => {
      if (isSaved) return;
      isSaved = true;
      const batch = given as unknown as {
        items: [Item, Item, Item, Item, Item];
        openSession(): ReturnType<DocumentStore["openSession"]>;
      };
      const [first, second, third, fourth, fifth] = batch.items;
      first.metadata.before = 1;
      fifth.result = Object.assign(new SubUser("replaced", "", new Date(0)), { id: "users/5" });
      fifth.metadata.replaced = 1;
      const session = batch.openSession();
      second.metadata.after = 1;
      session.advanced.getMetadataFor(third.result).through = 1;
      third.metadata.both = 1;
      delete fourth.metadata["@collection"];
      observe(
        "the metadata of the session",
        batch.items.map(({ result, metadata }) => session.advanced.getMetadataFor(result) === metadata),
      );
      await session.saveChanges();
      observe("requests", session.advanced.numberOfRequests);
    });
    for (let at = 1; at <= 5; at++) {
      const { "@metadata": metadata, name } = await server.document(`users/${at}`);
      observe(`stored: ${at}`, [name, Object.keys(metadata).sort()]);
    }
  }),

  "the session of a batch": tidy(async (section) => {
    const { observe, better } = section;
    const { store, subscriptions } = await prepared(section, 2);
    await subscriptions.create({
      name: "a",
      documentType: SubUser,
      includes: (builder) => builder.includeDocuments("company"),
    });
    const { query } = await subscriptions.getSubscriptionState("a");
    observe("the query", query.split(/\r?\n/));
    const worker = subscriptions.getSubscriptionWorker<SubUser>({
      subscriptionName: "a",
      documentType: SubUser,
    });
    let first = true;
    await receive(worker as Worker, 2, async (given) => {
      if (!first) return;
      first = false;
      const batch = given as unknown as {
        getNumberOfIncludes(): number;
        items: { id: string; result: SubUser }[];
        openSession(options?: object): ReturnType<DocumentStore["openSession"]>;
      };
      observe("includes", batch.getNumberOfIncludes());
      const [item] = batch.items;
      if (item) item.result.name = "changed before";
      const opened = await outcome(() => batch.openSession({ noTracking: true }) && "opened");
      better("with options", opened, { ravendb: fails("InvalidOperationException"), edge: "opened" });
      await outcome(() => batch.openSession());
      observe("opened twice", await outcome(() => batch.openSession()));
    });
    const counting = store.openSession();
    for (const id of ["users/1", "users/2"]) {
      counting.countersFor(id).increment("likes", 7);
      counting.timeSeriesFor(id, "pulse").append(new Date(Date.UTC(2026, 0, 1)), 61);
    }
    await counting.saveChanges();
    const including = "from SubUsers include counters('likes'), timeseries('pulse', last(5))";
    await subscriptions.create({ name: "b", query: including });
    const saving = subscriptions.getSubscriptionWorker<SubUser>({
      subscriptionName: "b",
      documentType: SubUser,
    });
    let isSaved = false;
    await receive(saving as Worker, 2, async (given) => {
      if (isSaved) return;
      isSaved = true;
      const batch = given as unknown as {
        items: { id: string; result: SubUser }[];
        openSession(options?: object): ReturnType<DocumentStore["openSession"]>;
      };
      const [item] = batch.items;
      if (!item) return;
      item.result.name = "changed before";
      const session = batch.openSession();
      observe("the change is seen", session.advanced.hasChanges());
      observe("loaded", (await session.load(item.id)) === item.result);
      observe("an included counter", await session.countersFor(item.id).get("likes"));
      const pulse = await session.timeSeriesFor(item.id, "pulse").get();
      observe(
        "an included time series",
        pulse?.map(({ values }) => values),
      );
      observe("without a request", session.advanced.numberOfRequests);
      item.result.seen = true;
      await session.saveChanges();
      observe("requests", session.advanced.numberOfRequests);
      observe("no changes", session.advanced.hasChanges());
      observe("the vector is known", typeof session.advanced.getChangeVectorFor(item.result));
    });
    const after = await store.openSession().load<SubUser>("users/1", SubUser);
    observe("saved", [after?.name, after?.seen]);
  }),

  "what the builder includes": tidy(async (section) => {
    const { observe } = section;
    const { server, subscriptions } = await prepared(section, 1);
    type Builder = Parameters<NonNullable<SubscriptionCreationOptions["includes"]>>[0];
    const cases: Record<string, (builder: Builder) => unknown> = {
      "the last entries": (builder) => builder.includeTimeSeries("pulse", "Last", 5),
      "those of an hour": (builder) => builder.includeTimeSeries("pulse", "Last", TimeValue.ofHours(1)),
      "of several": (builder) => builder.includeTimeSeries(["pulse", "steps"], "Last", 3),
      "of all": (builder) => builder.includeAllTimeSeries("Last", TimeValue.ofMonths(2)),
      "beside others": (builder) =>
        builder.includeDocuments("company").includeCounter("likes").includeTimeSeries("pulse", "Last", 1),
      "of all, and of one": (builder) =>
        builder.includeAllTimeSeries("Last", 1).includeTimeSeries("pulse", "Last", 1),
      "without a name": (builder) => builder.includeTimeSeries("", "Last", 1),
      none: (builder) => builder.includeTimeSeries("pulse", "Last", 0),
      "of no type": (builder) => builder.includeTimeSeries("pulse", "None", 1),
      "without a type": (builder) =>
        builder.includeTimeSeries("pulse", undefined as never, undefined as never),
    };
    for (const [name, includes] of Object.entries(cases))
      observe(
        name,
        await outcome(async () => {
          const made = await subscriptions.create({
            documentType: SubUser,
            includes: (builder) => void includes(builder),
          });
          const { query } = await subscriptions.getSubscriptionState(made);
          await subscriptions.delete(made);
          return query.split(/\r?\n/);
        }),
      );
    await server.send("PUT", "/attachments?id=users/1&name=a.txt&contentType=text/plain", "one");
    await subscriptions.create({ name: "a", documentType: SubUser });
    const worker = subscriptions.getSubscriptionWorker<SubUser>({
      subscriptionName: "a",
      documentType: SubUser,
    });
    await receive(worker as Worker, 1, (batch) => {
      const [item] = (batch as unknown as { items: Record<string, Record<string, unknown>>[] }).items;
      const all = [
        item?.metadata,
        item?.rawMetadata,
        item?.rawResult?.["@metadata"],
        item?.result?.["@metadata"],
      ];
      observe(
        "attachments in metadata",
        all.map((metadata) => (metadata as Record<string, unknown>)?.["@attachments"]),
      );
    });
  }),

  "refusals and other workers": tidy(async (section) => {
    const { observe } = section;
    const { subscriptions } = await prepared(section);
    observe("none", await events(subscriptions.getSubscriptionWorker("zz"), (_, done) => done()));
    observe("no name", await outcome(() => subscriptions.getSubscriptionWorker({})));
    observe("no options", await outcome(() => subscriptions.getSubscriptionWorker(null as never)));
    await subscriptions.create({ name: "a", query: "from SubUsers" });
    const closing = subscriptions.getSubscriptionWorker({ subscriptionName: "a", closeWhenNoDocsLeft: true });
    observe("closes when no documents are left", await events(closing, (_, done) => done()));
    await subscriptions.create({ name: "b", query: "from SubUsers" });
    const first = subscriptions.getSubscriptionWorker("b");
    const taken = events(first, (_, done) => done());
    await within(60_000, new Promise<void>((resolve) => first.on("afterAcknowledgment", () => resolve())));
    const second = subscriptions.getSubscriptionWorker("b");
    observe("another one", await events(second, (_, done) => done()));
    const third = subscriptions.getSubscriptionWorker({
      subscriptionName: "b",
      strategy: "TakeOver",
      closeWhenNoDocsLeft: true,
    });
    observe("takes over", await events(third, (_, done) => done()));
    observe("the first one", await taken);
    await subscriptions.create({ name: "c", query: "from SubUsers" });
    const dropped = subscriptions.getSubscriptionWorker("c");
    const ended = events(dropped, (_, done) => done());
    await within(60_000, new Promise<void>((resolve) => dropped.on("afterAcknowledgment", () => resolve())));
    await subscriptions.dropConnection("c");
    observe("dropped", await ended);
    const deleted = subscriptions.getSubscriptionWorker("c");
    const gone = events(deleted, (_, done) => done());
    await within(
      60_000,
      new Promise<void>((resolve) => deleted.on("onEstablishedSubscriptionConnection", () => resolve())),
    );
    await subscriptions.delete("c");
    observe("deleted", await gone);
  }),

  "listeners that fail, and a worker that is disposed of": tidy(async (section) => {
    const { observe } = section;
    const { subscriptions } = await prepared(section);
    await subscriptions.create({ name: "a", query: "from SubUsers" });
    const ignoring = subscriptions.getSubscriptionWorker({
      subscriptionName: "a",
      ignoreSubscriberErrors: true,
      closeWhenNoDocsLeft: true,
    });
    observe("ignored", await events(ignoring, (_, done) => done(new Error("broken"))));
    await subscriptions.create({ name: "b", query: "from SubUsers" });
    const disposed = subscriptions.getSubscriptionWorker("b");
    observe(
      "disposed of before the callback",
      await events(disposed, (_, done) => {
        disposed.dispose();
        done();
      }),
    );
    const again = subscriptions.getSubscriptionWorker({
      subscriptionName: "b",
      // The server may still count the connection that was closed.
      strategy: "WaitForFree",
      closeWhenNoDocsLeft: true,
    });
    observe("the batch comes again", await events(again, (_, done) => done()));
  }),
});
