// Definitions of indexes in the app: names, definitions, refused calls.
import {
  AbstractCsharpIndexCreationTask,
  AbstractJavaScriptIndexCreationTask,
  AbstractJavaScriptMultiMapIndexCreationTask,
  AdditionalAssembly,
  IndexDefinition,
  IndexDefinitionBuilder,
  IndexDefinitionHelper,
  SpatialBounds,
  SpatialOptions,
} from "client";
import { area, failure, outcome } from "./harness.js";
import {
  Csharp_Names,
  Csharp_Sums,
  Names_All,
  Names_Counted,
  Order,
  Orders_ByTotal,
  Orders_Sums,
  Places_Everything,
  Raw_Totals,
  shown,
} from "./index-classes.js";

export default area({
  names: async ({ observe }) => {
    observe("of a class", new Orders_ByTotal().getIndexName());
    observe("of a name", AbstractJavaScriptIndexCreationTask.getIndexNameForCtor("A_b__C"));
    class Renamed extends Orders_ByTotal {
      getIndexName() {
        return "Orders/Renamed";
      }
    }
    observe("a name that the app's class returns", new Renamed().createIndexDefinition().name);
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
    observe("options given to the constructor", {
      ...new SpatialOptions({ maxTreeLevel: 3, minX: 0 } as SpatialOptions),
    });
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
      // biome-ignore lint/complexity/noUselessConstructor: npm `ravendb` declares the inherited one as protected
      constructor() {
        super();
      }
    }
    observe("no map", await failure(() => new None().execute(open(undefined, server)), "ap"));
    class Csharp_None extends AbstractCsharpIndexCreationTask {}
    observe("no map in C#", await failure(() => new Csharp_None().execute(open(undefined, server)), "ap"));
    class Maps_None extends AbstractJavaScriptMultiMapIndexCreationTask {
      // biome-ignore lint/complexity/noUselessConstructor: npm `ravendb` declares the inherited one as protected
      constructor() {
        super();
      }
    }
    observe(
      "a multi-map task without a map",
      await failure(() => new Maps_None().execute(open(undefined, server)), "ap"),
    );
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
});
