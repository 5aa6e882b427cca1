// Documentation "Indexing Counters", "Indexing Time Series".
import {
  AbstractCsharpCountersIndexCreationTask,
  AbstractCsharpTimeSeriesIndexCreationTask,
  AbstractMultiMapCountersIndexCreationTask,
  AbstractMultiMapTimeSeriesIndexCreationTask,
  AbstractRawJavaScriptCountersIndexCreationTask,
  AbstractRawJavaScriptTimeSeriesIndexCreationTask,
  CountersIndexDefinition,
  CountersIndexDefinitionBuilder,
  PutIndexesOperation,
  TimeSeriesIndexDefinition,
  TimeSeriesIndexDefinitionBuilder,
} from "client";
import type { Context } from "../context.js";

async function stored(store: Context["store"]): Promise<void> {
  const session = store.openSession();
  for (const [id, likes] of [
    ["products/tea", 70],
    ["products/coffee", 80],
  ] as const) {
    await session.store({ Name: id, "@metadata": { "@collection": "Products" } }, id);
    session.countersFor(id).increment("Likes", likes);
    session.timeSeriesFor(id, "Prices").append(new Date(Date.UTC(2024, 0, 1)), likes / 10, "shop");
  }
  await session.saveChanges();
}

async function found(store: Context["store"], query: string): Promise<number> {
  return (await store.openSession().advanced.rawQuery(query).waitForNonStaleResults().all()).length;
}

export async function countersInJavaScript({ store, print }: Context) {
  class Products_ByLikes extends AbstractRawJavaScriptCountersIndexCreationTask {
    constructor() {
      super();
      this.maps = new Set([
        "counters.map('Products', 'Likes', (counter) => ({ Likes: counter.Value, Id: counter.DocumentId }))",
      ]);
    }
  }
  await stored(store);
  const index = new Products_ByLikes();
  await index.execute(store);
  print(index.createIndexDefinition().sourceType, index.isMapReduce);
  print(await found(store, "from index 'Products/ByLikes' where Likes > 75"));
}

export async function countersInCsharp({ store, print }: Context) {
  class Products_ByCounter extends AbstractCsharpCountersIndexCreationTask {
    constructor() {
      super();
      this.map = "from counter in counters.Products.Likes select new { Likes = counter.Value, counter.Name }";
      this.store("Likes", "Yes");
    }
  }
  await stored(store);
  const index = new Products_ByCounter();
  await index.execute(store);
  const { name, sourceType, type, maps } = index.createIndexDefinition();
  print(name, sourceType, type, maps.size);
  print(await found(store, "from index 'Products/ByCounter' where Likes > 75"));
}

export async function countersOfSeveralMaps({ store, print }: Context) {
  class All_ByCounter extends AbstractMultiMapCountersIndexCreationTask {
    constructor() {
      super();
      this._addMap("from counter in counters.Products.Likes select new { counter.Value }");
      this._addMap("from counter in counters.Companies.Likes select new { counter.Value }");
    }
  }
  await stored(store);
  const index = new All_ByCounter();
  await index.execute(store);
  print(index.createIndexDefinition().maps.size, await found(store, "from index 'All/ByCounter'"));
}

export async function timeSeriesInJavaScript({ store, print }: Context) {
  class Products_ByPrice extends AbstractRawJavaScriptTimeSeriesIndexCreationTask {
    constructor() {
      super();
      this.maps = new Set([
        "timeSeries.map('Products', 'Prices', (segment) => segment.Entries.map((entry) => ({ Price: entry.Values[0] })))",
      ]);
    }
  }
  await stored(store);
  const index = new Products_ByPrice();
  await index.execute(store);
  print(index.createIndexDefinition().sourceType);
  print(await found(store, "from index 'Products/ByPrice' where Price > 7.5"));
}

export async function timeSeriesInCsharp({ store, print }: Context) {
  class Products_ByEntry extends AbstractCsharpTimeSeriesIndexCreationTask {
    constructor() {
      super();
      this.map =
        "from segment in timeSeries.Products.Prices from entry in segment.Entries select new { Price = entry.Values[0] }";
    }
  }
  class Twice_ByEntry extends AbstractMultiMapTimeSeriesIndexCreationTask {
    constructor() {
      super();
      for (const collection of ["Products", "Companies"])
        this._addMap(
          `from segment in timeSeries.${collection}.Prices from entry in segment.Entries select new { Price = entry.Values[0] }`,
        );
    }
  }
  await stored(store);
  await new Products_ByEntry().execute(store);
  await new Twice_ByEntry().execute(store);
  print(new Products_ByEntry().createIndexDefinition().sourceType);
  print(await found(store, "from index 'Products/ByEntry' where Price > 7.5"));
  print(await found(store, "from index 'Twice/ByEntry'"));
}

export async function definitionsWithoutAClass({ store, print }: Context) {
  const builder = new CountersIndexDefinitionBuilder("Products/Built");
  builder.map = "from counter in counters.Products.Likes select new { counter.Value }";
  const definition = builder.toIndexDefinition(store.conventions);
  print(definition instanceof CountersIndexDefinition, definition.sourceType, [...definition.maps].length);
  await stored(store);
  await store.maintenance.send(new PutIndexesOperation(definition));
  print(await found(store, "from index 'Products/Built'"));
  const series = new TimeSeriesIndexDefinitionBuilder("Products/Series");
  try {
    series.toIndexDefinition(store.conventions);
  } catch (error) {
    print(error.name);
  }
  print(new TimeSeriesIndexDefinition().sourceType);
}
