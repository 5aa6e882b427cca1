// Indexes: how an app writes them down, deploys them, asks for them and has the server work on them.
import {
  AbstractCsharpIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask,
  AbstractJavaScriptIndexCreationTask,
  AbstractJavaScriptMultiMapIndexCreationTask,
  AbstractRawJavaScriptIndexCreationTask,
  AdditionalAssembly,
  DeleteIndexErrorsOperation,
  DeleteIndexOperation,
  DisableIndexOperation,
  EnableIndexOperation,
  GetIndexErrorsOperation,
  GetIndexesOperation,
  GetIndexesStatisticsOperation,
  GetIndexingStatusOperation,
  GetIndexNamesOperation,
  GetIndexOperation,
  GetIndexStatisticsOperation,
  GetTermsOperation,
  IndexCreation,
  IndexDefinition,
  IndexDefinitionBuilder,
  IndexDefinitionHelper,
  IndexHasChangedOperation,
  PutIndexesOperation,
  ResetIndexOperation,
  SetIndexesLockOperation,
  SetIndexesPriorityOperation,
  SpatialBounds,
  SpatialOptions,
  StartIndexingOperation,
  StartIndexOperation,
  StopIndexingOperation,
  StopIndexOperation,
} from "client";
import { area, fails, failure, outcome, type Section, type Server } from "./harness.js";

class Order {
  id?: string;
  customer = "";
  total = 0;
  lines: { product: string; count: number }[] = [];
}

/** As TypeScript compiles an enum, which esbuild would resolve by itself. */
const Role = { Admin: "administrator" };

class Orders_ByTotal extends AbstractJavaScriptIndexCreationTask<Order, { total: number; customer: string }> {
  constructor() {
    super();
    this.map("Orders", (order) => ({ total: order.total, customer: order.customer }));
  }
}

class Orders_Sums extends AbstractJavaScriptIndexCreationTask<Order, { customer: string; total: number }> {
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

class Names_All extends AbstractJavaScriptMultiMapIndexCreationTask<{ name: string }> {
  constructor() {
    super();
    this.map<{ name: string }>("Users", (user) => ({ name: user.name }));
    this.map<{ title: string }>("Companies", (company) => ({ name: company.title }));
  }
}

class Names_Counted extends AbstractJavaScriptMultiMapIndexCreationTask<{ name: string; count: number }> {
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
class Places_Everything extends AbstractJavaScriptIndexCreationTask<
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

class Csharp_Sums extends AbstractCsharpIndexCreationTask {
  constructor() {
    super();
    this.map = "from order in docs.Orders select new { order.customer, order.total }";
    this.reduce =
      "from result in results group result by result.customer into g select new { customer = g.Key, total = g.Sum(x => x.total) }";
  }
}

class Csharp_Names extends AbstractCsharpMultiMapIndexCreationTask {
  constructor() {
    super();
    this.addMap("from user in docs.Users select new { user.name }");
    this.addMap("from company in docs.Companies select new { name = company.title }");
  }
}

class Raw_Totals extends AbstractRawJavaScriptIndexCreationTask {
  constructor() {
    super();
    this.maps = new Set(["map('Orders', function (order) { return { total: twice(order.total) }; })"]);
    this.fields = { total: { storage: "Yes" } };
    this.additionalSources = { twice: "function twice(number) { return number * 2; }" };
  }
}

/** For what npm `ravendb` types as there. */
const NONE = null as unknown as string;

/** What an app sees of a definition. */
const shown = (definition: IndexDefinition | undefined) =>
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
async function stored(server: Server, name: string) {
  const answer = await server.send("GET", `/indexes?name=${encodeURIComponent(name)}`);
  return answer.status === 404 ? undefined : ((await answer.json()) as { Results: unknown[] }).Results[0];
}

async function fill(server: Server) {
  await server.put("orders/1", { customer: "ada", total: 10 }, "Orders");
  await server.put("orders/2", { customer: "ada", total: 5 }, "Orders");
  await server.put("orders/3", { customer: "bob", total: 7 }, "Orders");
  await server.put("users/1", { name: "ada" }, "Users");
  await server.put("companies/1", { title: "Acme" }, "Companies");
  await server.put("companies/2", { title: "ada" }, "Companies");
  await server.put("places/1", { name: "Oslo", text: "cold and bright", lat: 59.9, lng: 10.7 }, "Places");
}

/** The results of an index. */
const results = (store: ReturnType<Section["open"]>, indexName: string) =>
  store.openSession().query<object>({ indexName }).waitForNonStaleResults().all();

/** The results of a reduce, by their members. */
const sums = async (store: ReturnType<Section["open"]>, indexName: string) =>
  (await results(store, indexName))
    .map((result) =>
      JSON.stringify(Object.fromEntries(Object.entries(result).filter(([key]) => key !== "@metadata"))),
    )
    .sort();

const ids = async (store: ReturnType<Section["open"]>, indexName: string) =>
  (await results(store, indexName)).map((result) => (result as { id?: string }).id).sort();

export default area({
  names: async ({ observe }) => {
    observe("of a class", new Orders_ByTotal().getIndexName());
    observe("of a name", AbstractJavaScriptIndexCreationTask.getIndexNameForCtor("A_b__C"));
    class Renamed extends Orders_ByTotal {
      getIndexName() {
        return "Orders/Renamed";
      }
    }
    observe("of the app's own", new Renamed().createIndexDefinition().name);
    observe("too long", await failure(() => new IndexDefinitionBuilder("x".repeat(257)), "256"));
  },

  definitions: async ({ observe, better }) => {
    for (const task of [
      new Orders_ByTotal(),
      new Orders_Sums(),
      new Names_All(),
      new Names_Counted(),
      new Places_Everything(),
      new Csharp_Sums(),
      new Csharp_Names(),
      new Raw_Totals(),
    ])
      observe(task.getIndexName(), shown(task.createIndexDefinition()));
    observe("map-reduce or not", [
      new Orders_Sums().isMapReduce,
      new Csharp_Sums().isMapReduce,
      new Csharp_Names().isMapReduce,
      new Raw_Totals().isMapReduce,
    ]);
    better("one without a reduce is no map-reduce", new Orders_ByTotal().isMapReduce, {
      ravendb: true,
      edge: false,
    });
    const builder = new IndexDefinitionBuilder("Built");
    observe(
      "a builder without a map",
      await failure(() => builder.toIndexDefinition(undefined as never), "ap"),
    );
    builder.map = "from o in docs.Orders select new { o.total }";
    builder.storesStrings = { total: "Yes" };
    builder.suggestionsOptions.add("total");
    observe("a builder", shown(builder.toIndexDefinition(undefined as never)));
    observe("no map", await failure(() => new IndexDefinition().type, "ap"));
    observe("a definition as text", `${Object.assign(new IndexDefinition(), { name: "Orders/X" })}`);
  },

  kinds: async ({ observe }) => {
    const maps = [
      "map('Orders', o => ({}))",
      "from o in docs.Orders select new { o.total }",
      "  docs.Orders.Select(o => new { o.total })",
      "// a comment\nfrom o in docs.Orders select new { o.total }",
      "/* from */ map('Orders', o => ({}))",
      "from ts in timeSeries.Users.HeartRate select new { ts.Key }",
      "timeSeries.Users.HeartRate.Select(ts => new { ts.Key })",
      "timeSeries.map('Users', 'HeartRate', ts => ({}))",
      "from counter in counters.Users select new { counter.Name }",
      "counters.map('Users', c => ({}))",
    ];
    for (const map of maps)
      observe(map, [
        IndexDefinitionHelper.detectStaticIndexType(map, undefined as never),
        IndexDefinitionHelper.detectStaticIndexType(map, "groupBy(x => x)"),
        IndexDefinitionHelper.detectStaticIndexSourceType(map),
      ]);
    observe(
      "two kinds of source",
      await failure(() => {
        const definition = new IndexDefinition();
        definition.maps = new Set([maps[0], maps[7]]);
        return definition.sourceType;
      }),
    );
    for (const text of [
      "() => Role.Admin",
      "function () { return Role.Admin; }",
      "() => { return Role.Admin }",
      "() => (Role.Admin)",
    ])
      observe(`enum of ${text}`, IndexDefinitionHelper.extractEnumNotation(text));
  },

  "spatial options": async ({ observe }) => {
    class Spatial extends Orders_ByTotal {
      options() {
        const found: unknown[] = [];
        const say = (options: SpatialOptions) => {
          found.push({ ...options });
          return options;
        };
        const place = "total";
        this.spatial(place, (factory) => say(factory.geography().defaultOptions("Miles")));
        this.spatial(place, (factory) => say(factory.geography().boundingBoxIndex()));
        this.spatial(place, (factory) => say(factory.geography().geohashPrefixTreeIndex(4)));
        this.spatial(place, (factory) => say(factory.geography().quadPrefixTreeIndex(0)));
        this.spatial(place, (factory) => say(factory.cartesian().boundingBoxIndex()));
        this.spatial(place, (factory) =>
          say(factory.cartesian().quadPrefixTreeIndex(3, new SpatialBounds(0, 1, 0, 2))),
        );
        return found;
      }
    }
    observe("each", new Spatial().options());
    observe("of their own", { ...new SpatialOptions({ maxTreeLevel: 3, minX: 0 } as SpatialOptions) });
    observe(
      "level 0",
      await outcome(() => new Places_Everything().createIndexDefinition().fields.flat.spatial?.maxTreeLevel),
    );
  },

  assemblies: async ({ observe }) => {
    class Assembled extends Csharp_Sums {
      constructor() {
        super();
        this.addAssembly(AdditionalAssembly.onlyUsings(["System.Text"]));
        this.addAssembly(AdditionalAssembly.fromRuntime("System.Xml"));
        this.addAssembly(AdditionalAssembly.fromPath("/a.dll", ["A"]));
        this.addAssembly(AdditionalAssembly.fromNuGet("A", "1.0"));
      }
    }
    observe("each", new Assembled().createIndexDefinition().additionalAssemblies);
    observe("blank", [
      await outcome(() => AdditionalAssembly.onlyUsings([])),
      await outcome(() => AdditionalAssembly.fromRuntime(" ")),
      await outcome(() => AdditionalAssembly.fromPath("")),
      await outcome(() => AdditionalAssembly.fromNuGet("A", "")),
    ]);
  },

  deployed: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const store = open(undefined, server);
    observe("execute gives nothing", await new Orders_ByTotal().execute(store));
    await new Orders_Sums().execute(store);
    await store.executeIndex(new Names_All());
    await store.executeIndexes([new Names_Counted(), new Places_Everything()]);
    await IndexCreation.createIndexes([new Csharp_Sums(), new Csharp_Names()], store);
    await new Raw_Totals().execute(store, store.conventions);
    for (const name of await store.maintenance.send(new GetIndexNamesOperation(0, 20)))
      observe(`${name} in the server`, await stored(server, name));
    observe("a map", await ids(store, "Orders/ByTotal"));
    observe("a reduce", await sums(store, "Orders/Sums"));
    observe("two maps", await ids(store, "Names/All"));
    observe("two maps and a reduce", await sums(store, "Names/Counted"));
    observe("places", await ids(store, "Places/Everything"));
    observe("C#", await sums(store, "Csharp/Sums"));
    observe("C# with two maps", await ids(store, "Csharp/Names"));
    observe("texts", await ids(store, "Raw/Totals"));
    const session = store.openSession();
    const found = await session
      .query<Order>({ indexName: "Orders/ByTotal" })
      .whereGreaterThan("total", 6)
      .orderBy("total", "Long")
      .all();
    observe(
      "conditions",
      found.map(({ total }) => total),
    );
  },

  classes: async ({ open, observe, fresh }) => {
    const server = await fresh();
    class ByClass extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        this.map(Order, (order) => ({ total: order.total }));
      }
    }
    observe("the collection of a class", [...new ByClass().createIndexDefinition().maps]);
    class Quoted extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        this.map("O'\"\\\nrders", (order) => ({ total: order.total }));
      }
    }
    observe("a collection with quotes", [...new Quoted().createIndexDefinition().maps]);
    class Twice extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        this.map("Orders", (order) => ({ total: order.total }));
        this.map("Orders", (order) => ({ total: order.total }));
      }
    }
    observe("two maps", await failure(() => new Twice(), "MultiMap"));
    class None extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
      }
    }
    observe("no map", await failure(() => new None().execute(open(undefined, server)), "ap"));
    class Csharp_None extends AbstractCsharpIndexCreationTask {}
    observe("no map in C#", await failure(() => new Csharp_None().execute(open(undefined, server)), "ap"));
    class Maps_None extends AbstractJavaScriptMultiMapIndexCreationTask {
      constructor() {
        super();
      }
    }
    observe("no map of several", await failure(() => new Maps_None().execute(open(undefined, server)), "ap"));
  },

  sources: async ({ open, observe, better, fresh }) => {
    const server = await fresh();
    await fill(server);
    const store = open(undefined, server);
    class Orders_Helped extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        this.addSource(function twice(number: number) {
          return number * 2;
        });
        this.addSource("thrice", function thrice(number: number) {
          return number * 3;
        });
        // The server has these names, not this program.
        const [twice, thrice] = [] as unknown as ((number: number) => number)[];
        this.map("Orders", (order) => ({
          total: order.total > 8 ? twice(order.total) : thrice(order.total),
        }));
      }
    }
    const sources = new Orders_Helped().additionalSources;
    observe("their names", Object.keys(sources));
    await new Orders_Helped().execute(store);
    await ids(store, "Orders/Helped");
    observe(
      "what they made",
      (await store.maintenance.send(new GetTermsOperation("Orders/Helped", "total", NONE, 10))).sort(),
    );
    class Arrow extends Orders_ByTotal {
      constructor() {
        super();
        this.addSource("arrow", (number: number) => number);
      }
    }
    observe("an arrow function", await failure(() => new Arrow(), "unction"));
    class Users_Admins extends AbstractJavaScriptIndexCreationTask<{ name: string; role: string }> {
      constructor() {
        super();
        this.registerEnum(() => Role.Admin);
        this.map("Users", (user) => ({ admin: user.role === Role.Admin }));
      }
    }
    observe(
      "an enum",
      [...new Users_Admins().createIndexDefinition().maps].join().includes('"administrator"'),
    );
    class Users_Twice extends AbstractJavaScriptIndexCreationTask<{ name: string; role: string }> {
      constructor() {
        super();
        this.registerEnum(() => Role.Admin);
        this.map("Users", (user) => ({ a: user.role === Role.Admin, b: user.name === Role.Admin }));
      }
    }
    const left =
      [...new Users_Twice().createIndexDefinition().maps].join().split('"administrator"').length - 1;
    better("an enum in two places", left, { ravendb: 1, edge: 2 });
    class Loading extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        const { load } = this.mapUtils();
        this.map("Orders", (order) => ({
          name: load<{ name: string }>("users/1", "Users").name,
          of: order.customer,
        }));
      }
    }
    await new Loading().execute(store);
    await ids(store, "Loading");
    observe("load in a map", await store.maintenance.send(new GetTermsOperation("Loading", "name", NONE)));
  },

  vectors: async ({ observe }) => {
    class Vectors extends Orders_ByTotal {
      constructor() {
        super();
        this.vectorField("customer", { sourceEmbeddingType: "Text", destinationEmbeddingType: "Single" });
      }
    }
    const { fields, configuration } = new Vectors().createIndexDefinition();
    observe("fields", fields);
    observe("configuration", configuration);
  },

  operations: async ({ open, observe, better, fresh }) => {
    const server = await fresh();
    await fill(server);
    const store = open(undefined, server);
    const { maintenance } = store;
    const put = await maintenance.send(
      new PutIndexesOperation(
        new Orders_ByTotal().createIndexDefinition(),
        new Orders_Sums().createIndexDefinition(),
      ),
    );
    observe(
      "put",
      put.map((result) => [Object.keys(result), result.index]),
    );
    observe("names", await maintenance.send(new GetIndexNamesOperation(0, 10)));
    observe("the second name", await maintenance.send(new GetIndexNamesOperation(1, 1)));
    better(
      "all names",
      await outcome(() =>
        maintenance.send(new (GetIndexNamesOperation as unknown as new () => GetIndexNamesOperation)()),
      ),
      { ravendb: fails("RavenException"), edge: ["Orders/ByTotal", "Orders/Sums"] },
    );
    observe("one", shown(await maintenance.send(new GetIndexOperation("Orders/ByTotal"))));
    observe(
      "its class",
      (await maintenance.send(new GetIndexOperation("Orders/ByTotal"))) instanceof IndexDefinition,
    );
    observe("none", await maintenance.send(new GetIndexOperation("No/Such")));
    observe("all", (await maintenance.send(new GetIndexesOperation(0, 10))).map(shown));
    await ids(store, "Orders/ByTotal");
    const { collections, ...stats } = await maintenance.send(
      new GetIndexStatisticsOperation("Orders/ByTotal"),
    );
    observe("statistics", Object.keys(stats).sort());
    observe("some of them", [
      stats.name,
      stats.type,
      stats.entriesCount,
      stats.errorsCount,
      stats.state,
      stats.status,
      stats.mapAttempts,
      stats.mapSuccesses,
    ]);
    better(
      "collections",
      [...collections].map(([name, { documentLag } = {} as never]) => [name, documentLag]),
      {
        ravendb: [["orders", undefined]],
        edge: [["Orders", 0]],
      },
    );
    observe(
      "statistics of none",
      await failure(() => maintenance.send(new GetIndexStatisticsOperation("No/Such"))),
    );
    observe(
      "statistics of all",
      (await maintenance.send(new GetIndexesStatisticsOperation())).map(({ name }) => name),
    );
    const definition = new Orders_ByTotal().createIndexDefinition();
    observe("changed: no", await maintenance.send(new IndexHasChangedOperation(definition)));
    definition.fields = { total: { storage: "Yes" } };
    observe("changed: yes", await maintenance.send(new IndexHasChangedOperation(definition)));
    observe("terms", await maintenance.send(new GetTermsOperation("Orders/ByTotal", "customer", NONE, 10)));
    observe(
      "terms from",
      await maintenance.send(new GetTermsOperation("Orders/ByTotal", "customer", "ada", 10)),
    );

    const status = async () => {
      const { status, indexes } = await maintenance.send(new GetIndexingStatusOperation());
      return [status, indexes.map(({ name, status }) => `${name} ${status}`).sort()];
    };
    observe("indexing", await status());
    observe("stop", await maintenance.send(new StopIndexOperation("Orders/ByTotal")));
    observe("stopped", await status());
    observe("start", await maintenance.send(new StartIndexOperation("Orders/ByTotal")));
    observe("started", await status());
    observe("stop all", await maintenance.send(new StopIndexingOperation()));
    observe("all stopped", await status());
    observe("start all", await maintenance.send(new StartIndexingOperation()));
    observe("all started", await status());
    const state = async (name: string) => {
      const found = await maintenance.send(new GetIndexStatisticsOperation(name));
      return [found.state, found.lockMode, found.priority];
    };
    observe("disable", await maintenance.send(new DisableIndexOperation("Orders/ByTotal")));
    observe("disabled", await state("Orders/ByTotal"));
    observe("enable", await maintenance.send(new EnableIndexOperation("Orders/ByTotal", true)));
    observe("lock", await maintenance.send(new SetIndexesLockOperation("Orders/ByTotal", "LockedError")));
    observe("priority", await maintenance.send(new SetIndexesPriorityOperation("Orders/ByTotal", "Low")));
    observe("one of each", await state("Orders/ByTotal"));
    const indexNames = ["Orders/ByTotal", "Orders/Sums"];
    await maintenance.send(new SetIndexesLockOperation({ indexNames, mode: "Unlock" }));
    await maintenance.send(new SetIndexesPriorityOperation({ indexNames, priority: "High" }));
    observe("of several", [await state("Orders/ByTotal"), await state("Orders/Sums")]);

    const before = (await maintenance.send(new GetIndexStatisticsOperation("Orders/Sums"))).createdTimestamp;
    observe("reset", await maintenance.send(new ResetIndexOperation("Orders/Sums")));
    const after = (await maintenance.send(new GetIndexStatisticsOperation("Orders/Sums"))).createdTimestamp;
    observe("is a new one", before !== after);
    observe("delete", await maintenance.send(new DeleteIndexOperation("Orders/Sums")));
    observe("delete what is not there", await maintenance.send(new DeleteIndexOperation("Orders/Sums")));
    observe("left", await maintenance.send(new GetIndexNamesOperation(0, 10)));
    for (const [name, operation] of Object.entries({
      start: new StartIndexOperation("No/Such"),
      stop: new StopIndexOperation("No/Such"),
      reset: new ResetIndexOperation("No/Such"),
      lock: new SetIndexesLockOperation("No/Such", "Unlock"),
      priority: new SetIndexesPriorityOperation("No/Such", "Low"),
      terms: new GetTermsOperation("No/Such", "x", NONE, 1),
    }))
      observe(
        `${name} what is not there`,
        await failure(() => maintenance.send<unknown>(operation), "No/Such"),
      );
  },

  errors: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const store = open(undefined, server);
    const { maintenance } = store;
    class Orders_Failing extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        this.map("Orders", (order) => ({ name: order.lines[5].product }));
      }
    }
    await new Orders_Failing().execute(store);
    await outcome(() => ids(store, "Orders/Failing"));
    const [found, ...more] = await maintenance.send(new GetIndexErrorsOperation());
    observe("of all", [found.name, found.errors.length, more.length]);
    const [{ errors }] = await maintenance.send(new GetIndexErrorsOperation(["Orders/Failing"]));
    observe("each", errors.map(({ document, action }) => [document, action]).sort());
    observe(
      "their times",
      errors.every(({ timestamp }) => timestamp instanceof Date),
    );
    observe("forget them", await maintenance.send(new DeleteIndexErrorsOperation(["Orders/Failing"])));
    observe("forgotten", await maintenance.send(new GetIndexErrorsOperation(["Orders/Failing"])));
    observe(
      "of none",
      await failure(() => maintenance.send(new GetIndexErrorsOperation(["No/Such"])), "No/Such"),
    );
    class Broken extends AbstractCsharpIndexCreationTask {
      constructor() {
        super();
        this.map = "from order in docs.Orders select nonsense";
      }
    }
    observe("what does not compile", await failure(() => new Broken().execute(store), "Broken"));
    observe(
      "two of which one does not compile",
      await failure(() => store.executeIndexes([new Orders_ByTotal(), new Broken()])),
    );
    observe("neither is there", await maintenance.send(new GetIndexNamesOperation(0, 10)));
    observe(
      "by createIndexes",
      await failure(() => IndexCreation.createIndexes([new Orders_ByTotal(), new Broken()], store)),
    );
    observe("the first is there", await maintenance.send(new GetIndexNamesOperation(0, 10)));
    observe("no index at all", await outcome(() => store.executeIndexes([])));
    observe("no definition", [
      await outcome(() => new PutIndexesOperation()),
      await outcome(() => maintenance.send(new PutIndexesOperation(new IndexDefinition()))),
      await outcome(() => new IndexHasChangedOperation(undefined as never)),
    ]);
    observe("no name", [
      await outcome(() => new GetIndexOperation("")),
      await outcome(() => new GetIndexStatisticsOperation("")),
      await outcome(() => new DeleteIndexOperation("")),
      await outcome(() => new ResetIndexOperation("")),
      await outcome(() => new StartIndexOperation("")),
      await outcome(() => new StopIndexOperation("")),
      await outcome(() => new EnableIndexOperation("")),
      await outcome(() => new GetTermsOperation("A", "", NONE)),
      await outcome(() => new SetIndexesLockOperation("", "Unlock")),
      await outcome(() => new SetIndexesLockOperation({ indexNames: [], mode: "Unlock" })),
      await outcome(() => new SetIndexesPriorityOperation({ indexNames: [], priority: "Low" })),
    ]);
    observe(
      "lock an index of the server's own",
      await outcome(() => new SetIndexesLockOperation("Auto/Orders/ByTotal", "Unlock")),
    );
    observe(
      "a locked one stays",
      await (async () => {
        await maintenance.send(new SetIndexesLockOperation("Orders/ByTotal", "LockedError"));
        class Other extends Orders_Failing {
          getIndexName() {
            return "Orders/ByTotal";
          }
        }
        return failure(() => new Other().execute(store), "Orders/ByTotal");
      })(),
    );
    observe("an index that is not there", await failure(() => ids(store, "No/Such")));
  },

  "another database": async ({ open, observe, server, fresh }) => {
    const other = await fresh();
    const store = open();
    await store.executeIndex(new Orders_ByTotal(), other.database);
    await store.executeIndexes([new Orders_Sums()], other.database);
    await new Names_All().execute(store, store.conventions, other.database);
    const names = (place: Server) =>
      store.maintenance.forDatabase(place.database).send(new GetIndexNamesOperation(0, 10));
    observe("there", await names(other));
    observe("not here", await names(server));
  },
});
