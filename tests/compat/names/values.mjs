// Arguments that only code can make.
import { Writable } from "node:stream";
import { advanced, of, session } from "./getters.mjs";
import { DATE, FILE, HeartRate, ID, Order } from "./world.mjs";

/** By name, or by the type of npm `ravendb`, also where an instance that is made from nothing is of no use. */
export const VALUES = {
  __proto__: null,
  Order: of(() => Order),
  HeartRate: of(() => HeartRate),
  heartRate: of(() => new HeartRate()),
  entity: of(({ entity }) => entity()),
  file: of(({ session }) => session.load(FILE)),
  newEntity: of(() => Object.assign(new Order(), { name: "Bob" })),
  database: of(({ database }) => database),
  newDatabase: of(({ database }) => `${database}-new`),
  bytes: of(() => Buffer.from("bytes")),
  vector: of(async ({ session, entity }) => session.advanced.getChangeVectorFor(await entity())),
  revision: of(
    async ({ session }) => (await session.advanced.revisions.getMetadataFor(ID))[0]["@change-vector"],
  ),
  Buffer: of(() => Buffer.from("bytes")),
  Stream: of(() => Buffer.from("bytes")),
  Readable: of(() => Buffer.from("bytes")),
  Writable: of(() => new Writable({ objectMode: true, write: (_, __, done) => done() })),
  Function: of(() => function source() {}),
  Map: of(() => new Map()),
  IDocumentStore: of(({ store }) => store),
  IDocumentSession: session((session) => session),
  InMemoryDocumentSessionOperations: session((session) => session),
  RequestExecutor: of(({ store }) => store.getRequestExecutor()),
  DocumentConventions: of((world) => world.unopened().conventions),
  IDocumentQuery: session((session) => session.query({ collection: "Orders" })),
  IRawDocumentQuery: advanced((advanced) => advanced.rawQuery("from Orders")),
  ICommandData: of(({ client }) => new client.PutCommandDataWithJson("deferred/1", null, null, { a: 1 })),
  PatchRequest: of(({ client }) => client.PatchRequest.forScript("this.patched = 1")),
  IndexDefinition: of(({ client }) =>
    Object.assign(new client.IndexDefinition(), {
      name: "Spare",
      maps: new Set(["from o in docs.Orders select new { o.name }"]),
    }),
  ),
  MethodCall: of(({ client }) => client.CmpXchg.value("usernames/ann")),
  FacetBase: of(({ client }) => Object.assign(new client.Facet(), { fieldName: "name" })),
  SuggestionBase: of(({ client }) => new client.SuggestionBuilder().byField("name", "Anm").suggestion),
  MoreLikeThisBase: of(({ client }) => {
    const builder = new client.MoreLikeThisBuilder();
    builder.usingAnyDocument();
    return builder.getMoreLikeThis();
  }),
  DynamicSpatialField: of(({ client }) => new client.PointField("place.lat", "place.lng")),
  RangeBuilder: of(({ client }) => client.RangeBuilder.forPath("total").isLessThan(100)),
  GroupBy: of(({ client }) => client.GroupBy.field("name")),
  TimeValue: of(({ client }) => client.TimeValue.ofHours(1)),
  IncrementOperation: of(({ client }) =>
    Object.assign(new client.IncrementOperation(), { timestamp: new Date(DATE), values: [1] }),
  ),
  TypedTimeSeriesEntry: of(({ client }) =>
    Object.assign(new client.TypedTimeSeriesEntry(), {
      timestamp: new Date(DATE),
      value: new HeartRate(),
      values: [70],
    }),
  ),
  TypedTimeSeriesRollupEntry: of(({ client }) => {
    const entry = new client.TypedTimeSeriesRollupEntry(HeartRate, new Date(DATE));
    for (const member of ["max", "min", "count", "first", "last", "sum"]) entry[member].bpm = 1;
    return entry;
  }),
  TimeSeriesEntry: of(({ client }) =>
    Object.assign(new client.TimeSeriesEntry(), { timestamp: new Date(DATE), values: [1, 1, 1, 1, 1, 1] }),
  ),
  TimeSeriesAggregationResult: of(({ client }) =>
    Object.assign(new client.TimeSeriesAggregationResult(), { results: [] }),
  ),
  TimeSeriesRawResult: of(({ client }) => Object.assign(new client.TimeSeriesRawResult(), { results: [] })),
  CounterOperation: of(({ client }) => client.CounterOperation.create("likes", "Increment", 1)),
  RevisionsConfiguration: of(({ client }) =>
    Object.assign(new client.RevisionsConfiguration(), {
      collections: new Map([["Orders", new client.RevisionsCollectionConfiguration()]]),
    }),
  ),
  GroupByField: of(() => ({ fieldName: "total", projectedName: "sum" })),
  AwaitableOperation: of(
    ({ client }) => new client.DeleteByQueryOperation("from Orders where name = 'none'"),
  ),
  PatchOperation: of(
    ({ client }) => new client.PatchOperation(ID, null, client.PatchRequest.forScript("this.patched = 1")),
  ),
  AwaitableMaintenanceOperation: of(({ client }) => new client.GetStatisticsOperation()),
  IMaintenanceOperation: of(({ client }) => new client.GetStatisticsOperation()),
  IOperation: of(({ client }) => new client.GetCountersOperation(ID)),
  ObjectLiteralDescriptor: of(() => ({ name: "Thing", isType: () => false, construct: (dto) => dto })),
  indexClass: of(({ client }) => class MyIndex extends client.AbstractCsharpIndexCreationTask {}),
  SubscriptionWorker: of(({ store }) => store.subscriptions.getSubscriptionWorker("none")),
  SessionInfo: of(({ session }) => session.advanced.sessionInfo),
};

/** What a callback does with its argument, by the argument's type; others do nothing. */
export const CALLBACKS = {
  __proto__: null,
  IFacetBuilder: (builder) => builder.byField("name"),
  IndexingGroupResults: (results) => results.groupBy((o) => o.name).aggregate((g) => ({ name: g.key })),
  ISuggestionBuilder: (builder) => builder.byField("name", "Anm"),
  ITimeSeriesQueryBuilder: (builder) => builder.raw("from HeartRates"),
  IFilterFactory: (factory) => factory.equals("name", "Ann"),
  SpatialCriteriaFactory: (factory) => factory.withinRadius(10, 1, 1),
  JavaScriptArray: (array) => array.push("x"),
  JavaScriptMap: (map) => map.set("k", 1),
  IMoreLikeThisBuilderForDocumentQuery: (builder) => builder.usingAnyDocument(),
  IDatabaseRecordBuilderInitializer: (builder, { database }) => builder.regular(`${database}-built`),
  IQueryIncludeBuilder: (builder) => builder.includeCounter("likes"),
  ISubscriptionIncludeBuilder: (builder) => builder.includeCounter("likes"),
  ITimeSeriesIncludeBuilder: (builder) => builder.includeTags(),
  IFilterDocumentQueryBase: (query) => query.whereEquals("id()", ID),
};
