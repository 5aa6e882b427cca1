// The index classes of the programs, and queries on them.
import {
  AbstractCsharpIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask,
  AbstractJavaScriptIndexCreationTask,
  AbstractJavaScriptMultiMapIndexCreationTask,
  AbstractRawJavaScriptIndexCreationTask,
  type IndexDefinition,
  SpatialBounds,
} from "client";
import type { Section, Server } from "./harness.js";

export class Order {
  id?: string;
  customer = "";
  total = 0;
  lines: { product: string; count: number }[] = [];
}

/** As TypeScript compiles an enum, which esbuild would resolve by itself. */
export const Role = { Admin: "administrator" };

export class Orders_ByTotal extends AbstractJavaScriptIndexCreationTask<
  Order,
  { total: number; customer: string }
> {
  constructor() {
    super();
    this.map("Orders", (order) => ({ total: order.total, customer: order.customer }));
  }
}

export class Orders_Sums extends AbstractJavaScriptIndexCreationTask<
  Order,
  { customer: string; total: number }
> {
  constructor() {
    super();
    this.map("Orders", (order) => ({ customer: order.customer, total: order.total }));
    this.reduce((results) =>
      results
        .groupBy((entry) => entry.customer)
        .aggregate((group) => ({
          customer: group.key,
          total: group.values.reduce((sum, entry) => sum + entry.total, 0),
        })),
    );
  }
}

export class Names_All extends AbstractJavaScriptMultiMapIndexCreationTask<{ name: string }> {
  constructor() {
    super();
    this.map<{ name: string }>("Users", (user) => ({ name: user.name }));
    this.map<{ title: string }>("Companies", (company) => ({ name: company.title }));
  }
}

export class Names_Counted extends AbstractJavaScriptMultiMapIndexCreationTask<{
  name: string;
  count: number;
}> {
  constructor() {
    super();
    this.map<{ name: string }>("Users", (user) => ({ name: user.name, count: 1 }));
    this.map<{ title: string }>("Companies", (company) => ({ name: company.title, count: 1 }));
    this.reduce((results) =>
      results
        .groupBy((entry) => entry.name)
        .aggregate((group) => ({
          name: group.key,
          count: group.values.reduce((sum, entry) => sum + entry.count, 0),
        })),
    );
  }
}

/** Everything that can be said of a field. */
export class Places_Everything extends AbstractJavaScriptIndexCreationTask<
  { name: string; text: string; lat: number; lng: number },
  { name: string; text: string; place: unknown; flat: unknown }
> {
  constructor() {
    super();
    const { createSpatialField } = this.mapUtils();
    this.map("Places", (place) => ({
      name: place.name,
      text: place.text,
      place: createSpatialField(place.lat, place.lng),
      flat: createSpatialField(place.lat, place.lng),
    }));
    this.index("text", "Search");
    this.analyze("text", "StandardAnalyzer");
    this.termVector("text", "WithPositionsAndOffsets");
    this.index("name", "Exact");
    this.store("name", "Yes");
    this.suggestion("name");
    this.spatial("place", (factory) => factory.geography().defaultOptions());
    this.spatial("flat", (factory) =>
      factory.cartesian().quadPrefixTreeIndex(5, new SpatialBounds(0, 0, 100, 100)),
    );
    this.configuration["Indexing.MapTimeoutInSec"] = "30";
    this.searchEngineType = "Lucene";
    this.priority = "High";
    this.lockMode = "LockedIgnore";
    this.deploymentMode = "Parallel";
  }
}

export class Csharp_Sums extends AbstractCsharpIndexCreationTask {
  constructor() {
    super();
    this.map = "from order in docs.Orders select new { order.customer, order.total }";
    this.reduce =
      "from result in results group result by result.customer into g select new { customer = g.Key, total = g.Sum(x => x.total) }";
  }
}

export class Csharp_Names extends AbstractCsharpMultiMapIndexCreationTask {
  constructor() {
    super();
    this.addMap("from user in docs.Users select new { user.name }");
    this.addMap("from company in docs.Companies select new { name = company.title }");
  }
}

export class Raw_Totals extends AbstractRawJavaScriptIndexCreationTask {
  constructor() {
    super();
    this.maps = new Set(["map('Orders', function (order) { return { total: twice(order.total) }; })"]);
    this.fields = { total: { storage: "Yes" } };
    this.additionalSources = { twice: "function twice(number) { return number * 2; }" };
  }
}

/** For what npm `ravendb` types as there. */
export const NONE = null as unknown as string;

/** What an app sees of a definition. */
export const shown = (definition: IndexDefinition | undefined) =>
  definition && {
    name: definition.name,
    type: definition.type,
    sourceType: definition.sourceType,
    maps: [...definition.maps],
    reduce: definition.reduce,
    fields: definition.fields,
    configuration: definition.configuration,
    additionalSources: definition.additionalSources,
    additionalAssemblies: definition.additionalAssemblies,
    compoundFields: definition.compoundFields,
    lockMode: definition.lockMode,
    priority: definition.priority,
    state: definition.state,
    deploymentMode: definition.deploymentMode,
    outputReduceToCollection: definition.outputReduceToCollection,
    archivedDataProcessingBehavior: definition.archivedDataProcessingBehavior,
  };

/** What the server keeps of an index, but for its own numbers. */
export async function stored(server: Server, name: string) {
  const answer = await server.send("GET", `/indexes?name=${encodeURIComponent(name)}`);
  return answer.status === 404 ? undefined : ((await answer.json()) as { Results: unknown[] }).Results[0];
}

export async function fill(server: Server) {
  await server.put("orders/1", { customer: "ada", total: 10 }, "Orders");
  await server.put("orders/2", { customer: "ada", total: 5 }, "Orders");
  await server.put("orders/3", { customer: "bob", total: 7 }, "Orders");
  await server.put("users/1", { name: "ada" }, "Users");
  await server.put("companies/1", { title: "Acme" }, "Companies");
  await server.put("companies/2", { title: "ada" }, "Companies");
  await server.put("places/1", { name: "Oslo", text: "cold and bright", lat: 59.9, lng: 10.7 }, "Places");
}

/** The results of an index. */
export const results = (store: ReturnType<Section["open"]>, indexName: string) =>
  store.openSession().query<object>({ indexName }).waitForNonStaleResults().all();

/** The results of a reduce, by their members. */
export const sums = async (store: ReturnType<Section["open"]>, indexName: string) =>
  (await results(store, indexName))
    .map((result) =>
      JSON.stringify(Object.fromEntries(Object.entries(result).filter(([key]) => key !== "@metadata"))),
    )
    .sort();

export const ids = async (store: ReturnType<Section["open"]>, indexName: string) =>
  (await results(store, indexName)).map((result) => (result as { id?: string }).id).sort();
