// How to get an object of each type whose members are called: some exist only while something happens.
import { advanced, of, session } from "./getters.mjs";
import { INDEXES } from "./indexes.mjs";
import { FILE, HeartRate, ID, INDEX } from "./world.mjs";

/** An object that only a listener gets. */
const event = (name, act) => async (world, use) => {
  world.session.advanced.on(name, use);
  await act(world);
};
let saved = 0;
const saving = async ({ session, entity }) => {
  saved++;
  (await entity()).name = `Eve ${saved}`;
  await session.saveChanges();
};
const requestEvent =
  (name, prepare = () => {}) =>
  async (world, use) => {
    const store = world.unopened();
    prepare(store);
    store.addSessionListener(name, (event) => event.url.includes("/docs?") && use(event));
    const loaded = store.initialize().openSession().load(ID);
    await loaded.catch(() => {});
    await store.dispose();
  };
/** A query of the index, which has every document. */
const indexed = (session) => session.query({ indexName: INDEX }).waitForNonStaleResults();

const query = session((session) => indexed(session).whereExists("name"));
const counters = session((session) => session.countersFor(ID));
const series = session((session) => session.timeSeriesFor(ID, "HeartRates"));
const typedSeries = session((session) => session.timeSeriesFor(ID, HeartRate));
const cluster = of(({ open }) => open({ transactionMode: "ClusterWide" }).advanced.clusterTransaction);
const changes = of(({ store }) => store.changes());
const bulk =
  (get) =>
  async ({ store }, use) => {
    const insert = store.bulkInsert();
    const part = get(insert);
    await use(part);
    part.dispose?.();
    await insert.finish();
  };
const withoutSubscriptions = async ({ subscriptions }) => {
  for (const { subscriptionName } of await subscriptions.getSubscriptions(0, 10))
    await subscriptions.delete(subscriptionName);
};
const including = ({ session }, use) => session.load(ID, { includes: use });
const faceted =
  (build) =>
  ({ session }, use) =>
    indexed(session)
      .aggregateBy((builder) => build(builder, use))
      .execute();
const suggested =
  (build) =>
  ({ session }, use) =>
    indexed(session)
      .suggestUsing((builder) => build(builder, use))
      .execute();

export const OBJECTS = {
  __proto__: null,
  "": of(({ client }) => client),

  // The chapters of the page.
  DocumentStore: of(({ store }) => store),
  session: session((session) => session),
  "session.advanced": advanced((advanced) => advanced),
  lazily: advanced(({ lazily }) => lazily),
  eagerly: advanced(({ eagerly }) => eagerly),
  conventions: of(
    ({ member, store, unopened }) => (member === "generateDocumentId" ? store : unopened()).conventions,
  ),
  query,
  rawQuery: of(({ session, member }) =>
    session.advanced
      .rawQuery(`from index '${INDEX}'${member === "executeAggregation" ? " select facet(name)" : ""}`)
      .waitForNonStaleResults(),
  ),
  groupBy: session((session) => session.query({ collection: "Orders" }).groupBy("name")),
  // A store of its own: disposing of an executor ends it.
  getRequestExecutor: of((world) => world.unopened().initialize().getRequestExecutor()),
  maintenance: of(({ store }) => store.maintenance),
  operations: of(({ store }) => store.operations),
  SessionBeforeStoreEventArgs: event("beforeStore", saving),
  SessionAfterSaveChangesEventArgs: event("afterSaveChanges", saving),
  SessionBeforeQueryEventArgs: event("beforeQuery", ({ session }) => indexed(session).all()),
  SessionBeforeDeleteEventArgs: event("beforeDelete", async ({ session }) => {
    await session.delete("orders/9-A");
    await session.saveChanges();
  }),
  AfterConversionToDocumentEventArgs: event("afterConversionToDocument", saving),
  BeforeConversionToDocumentEventArgs: event("beforeConversionToDocument", saving),
  AfterConversionToEntityEventArgs: event("afterConversionToEntity", ({ entity }) => entity()),
  BeforeConversionToEntityEventArgs: event("beforeConversionToEntity", ({ entity }) => entity()),
  BeforeRequestEventArgs: requestEvent("beforeRequest"),
  SucceedRequestEventArgs: requestEvent("succeedRequest"),
  FailedRequestEventArgs: requestEvent("failedRequest", ({ conventions }) => {
    conventions.disableTopologyUpdates = false;
    conventions.customFetch = (url, init) =>
      String(url).includes("/docs?") ? Promise.reject(new TypeError("fetch failed")) : fetch(url, init);
  }),
  SessionCreatedEventArgs: async (world, use) => {
    world.store.on("sessionCreated", use);
    world.store.openSession();
  },
  SessionDisposingEventArgs: async ({ session }, use) => {
    session.advanced.on("sessionDisposing", use);
    session.dispose();
  },
  BulkInsertOnProgressEventArgs: async ({ store }, use) => {
    const insert = store.bulkInsert();
    insert.on("progress", use);
    await insert.store({ a: 1 }, "bulk/1");
    await insert.finish();
  },

  // Types of exports.
  IDisposable: session((session) => session),
  IAttachmentsSessionOperations: advanced(({ attachments }) => attachments),
  IAttachmentsBulkInsert: bulk((insert) => insert.attachmentsFor(FILE)),
  ICountersBulkInsert: bulk((insert) => insert.countersFor(ID)),
  ITimeSeriesBulkInsert: bulk((insert) => insert.timeSeriesFor(ID, "HeartRates")),
  ITypedTimeSeriesBulkInsert: bulk((insert) => insert.timeSeriesFor(HeartRate, ID)),
  ISessionDocumentCounters: counters,
  ISessionDocumentCountersBase: counters,
  ISessionDocumentTimeSeries: series,
  ISessionDocumentAppendTimeSeriesBase: series,
  ISessionDocumentDeleteTimeSeriesBase: series,
  ISessionDocumentTypedTimeSeries: typedSeries,
  ISessionDocumentTypedAppendTimeSeriesBase: typedSeries,
  ISessionDocumentIncrementalTimeSeries: session((session) =>
    session.incrementalTimeSeriesFor(ID, "INC:Likes"),
  ),
  ISessionDocumentTypedIncrementalTimeSeries: session((session) =>
    session.incrementalTimeSeriesFor(ID, "INC:HeartRates", HeartRate),
  ),
  ISessionDocumentRollupTypedTimeSeries: session((session) =>
    session.timeSeriesRollupFor(ID, "byHour", HeartRate),
  ),
  ISessionDocumentRollupTypedAppendTimeSeriesBase: session((session) =>
    session.timeSeriesRollupFor(ID, "byHour", HeartRate),
  ),
  BulkInsertOperation: of(({ store }) => store.bulkInsert()),
  // A database without a licence has no more than three.
  DocumentSubscriptions: async ({ store }, use) => {
    await use(store.subscriptions);
    await withoutSubscriptions(store);
  },
  TimeSeriesOperations: of(({ store }) => store.timeSeries),
  IncludeBuilder: including,
  IDatabaseChanges: changes,
  IChangesObservable: of(({ store }) => store.changes().forAllDocuments()),
  IClusterTransactionOperations: cluster,
  IClusterTransactionOperationsBase: cluster,
  ILazyClusterTransactionOperations: of(
    ({ open }) => open({ transactionMode: "ClusterWide" }).advanced.clusterTransaction.lazily,
  ),
  IRevisionsSessionOperations: advanced(({ revisions }) => revisions),
  ILazyRevisionsOperations: advanced(({ revisions }) => revisions.lazily),
  ICounterIncludeBuilder: including,
  ICompareExchangeValueIncludeBuilder: including,
  ITimeSeriesIncludeBuilder: ({ session }, use) =>
    session.timeSeriesFor(ID, "HeartRates").get(undefined, undefined, use),
  ISubscriptionIncludeBuilder: async ({ store }, use) => {
    await store.subscriptions.create({ query: "from Orders", includes: use });
    await withoutSubscriptions(store);
  },
  IFacetBuilder: faceted((builder, use) => use(builder)),
  IFacetOperations: faceted((builder, use) => use(builder.byField("name"))),
  IAggregationDocumentQuery: session((session) =>
    indexed(session).aggregateBy((builder) => builder.byField("name")),
  ),
  ISuggestionBuilder: suggested((builder, use) => use(builder)),
  ISuggestionOperations: suggested((builder, use) => use(builder.byField("name", "Anm"))),
  ISuggestionDocumentQuery: session((session) =>
    indexed(session).suggestUsing((builder) => builder.byField("name", "Anm")),
  ),
  MoreLikeThisBuilder: of(({ client }) => {
    const builder = new client.MoreLikeThisBuilder();
    builder.usingAnyDocument();
    return builder;
  }),
  FacetBuilder: of(({ client }) => {
    const builder = new client.FacetBuilder();
    builder.byField("name");
    return builder;
  }),
  SuggestionBuilder: of(({ client }) => {
    const builder = new client.SuggestionBuilder();
    builder.byField("name", "Anm");
    return builder;
  }),
  IMoreLikeThisOperations: ({ session }, use) =>
    indexed(session)
      .moreLikeThis((builder) => use(builder.usingDocument((q) => q.whereEquals("id()", ID))))
      .all(),
  IFilterFactory: ({ session }, use) => session.query({ collection: "Orders" }).filter(use).all(),
  FilterFactory: ({ session }, use) => session.query({ collection: "Orders" }).filter(use).all(),
  ITimeSeriesQueryBuilder: ({ session, client }, use) =>
    session.query({ collection: "Orders" }).selectTimeSeries(use, client.TimeSeriesRawResult).all(),
  IDocumentQueryCustomization: async ({ session }, use) => {
    session.advanced.on("beforeQuery", ({ queryCustomization }) => use(queryCustomization));
    await indexed(session).all();
  },
  IMetadataDictionary: of(async ({ session, entity }) => session.advanced.getMetadataFor(await entity())),
  OperationCompletionAwaiter: of(({ store, client }) =>
    store.operations.send(new client.PatchByQueryOperation("from Orders update { this.patched = 1 }")),
  ),
  HiloIdGenerator: of(
    ({ client, store, database }) => new client.HiloIdGenerator("Orders", store, database, "/"),
  ),
  MultiDatabaseHiLoIdGenerator: of(({ store }) => store.hiLoIdGenerator),
  QueryStatistics: async ({ session }, use) => {
    let statistics;
    await indexed(session)
      .statistics((each) => (statistics = each))
      .all();
    await use(statistics);
  },
  QueryTimings: async ({ session }, use) => {
    let timings;
    await indexed(session)
      .timings((each) => (timings = each))
      .all();
    await use(timings);
  },
  Highlightings: async ({ session }, use) => {
    let found;
    await indexed(session)
      .search("text", "fox")
      .highlight({ fieldName: "text", fragmentLength: 20, fragmentCount: 1 }, (each) => (found = each))
      .all();
    await use(found);
  },
  Explanations: async ({ session }, use) => {
    let found;
    await indexed(session)
      .search("text", "fox")
      .includeExplanations((each) => (found = each))
      .all();
    await use(found);
  },
  ...INDEXES,
};

/** Of these a call also shows the data, or what a query sends. */
export const SHOWN = [
  "",
  "IMetadataDictionary",
  "QueryStatistics",
  "QueryTimings",
  "Highlightings",
  "Explanations",
  "DocumentQuery",
  "IDocumentQuery",
  "RawDocumentQuery",
  "IRawDocumentQuery",
];
