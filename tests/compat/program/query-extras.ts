// What few queries use: what they find, and where npm `ravendb` does otherwise.
import {
  AbstractJavaScriptIndexCreationTask,
  CmpXchg,
  Facet,
  FacetAggregationField,
  FacetSetup,
  MoreLikeThisStopWords,
  PointField,
  PutCompareExchangeValueOperation,
  RangeBuilder,
  RangeFacet,
  WktField,
} from "client";
import { area, fails, failure, type Section } from "./harness.js";
import { rqlOf } from "./query-text.js";
import { recorder } from "./recorder.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape, and queries of either client
type Any = any;

class Cameras_Features extends AbstractJavaScriptIndexCreationTask<Any> {
  constructor() {
    super();
    const { createSpatialField } = this.mapUtils();
    this.map("Cameras", ({ brand, price, megapixels, latitude, longitude }) => ({
      brand,
      price,
      megapixels,
      coordinates: createSpatialField(latitude, longitude),
    }));
  }
}

class Articles_Texts extends AbstractJavaScriptIndexCreationTask<Any> {
  constructor() {
    super();
    this.map("Articles", ({ title, body }) => ({ title, body }));
    this.index("body", "Search");
    this.store("body", "Yes");
    this.termVector("body", "WithPositionsAndOffsets");
    this.suggestion("title");
    this.searchEngineType = "Lucene";
  }
}

const CAMERAS = [
  ["Canon", 400, 12, 32.5, 34.9, [1, 0, 0]],
  ["Canon", 900, 20, 32.6, 34.95, [0.9, 0.1, 0]],
  ["Nikon", 250, 10, 31.8, 35.2, [0, 1, 0]],
  ["Nikon", 1500, 24, 40.7, -74, [0, 0.9, 0.2]],
  ["Sony", 100, 6, 51.5, -0.1, [0, 0, 1]],
] as const;

/** Cameras, articles, and their indexes, which are up to date. */
async function seed({ server, open }: Section): Promise<void> {
  for (const [at, [brand, price, megapixels, latitude, longitude, vector]] of CAMERAS.entries()) {
    const place = `POINT (${longitude} ${latitude})`;
    const camera = { brand, price, megapixels, latitude, longitude, place, vector: { "@vector": vector } };
    await server.put(`cameras/${at + 1}`, camera, "Cameras");
  }
  const bodies = [
    "the quick brown fox",
    "a quick brown dog",
    "quick brown foxes everywhere",
    "nothing alike",
  ];
  for (const [at, body] of bodies.entries())
    await server.put(`articles/${at + 1}`, { title: `article${at}`, body }, "Articles");
  const store = open();
  for (const index of [new Articles_Texts(), new Cameras_Features()]) {
    await index.execute(store);
    await store.openSession().query<Any>({ indexName: index.getIndexName() }).waitForNonStaleResults().all();
  }
}

export default area({
  "what is found": async (section) => {
    const { open, observe, better, server } = section;
    await seed(section);
    await open().operations.send(new PutCompareExchangeValueOperation("favorite", "Nikon", 0));
    const store = open();
    const cameras = () =>
      store.openSession().query<Any>({ collection: "Cameras" }).waitForNonStaleResults() as Any;
    const ids = async (query: Any) => (await query.all()).map(({ id }: Any) => id);

    const indexed = () => store.openSession().query<Any>({ indexName: "Cameras/Features" }) as Any;
    const facets = await indexed()
      .aggregateBy((facet: Any) => facet.byField("brand").sumOn("price").minOn("price", "least"))
      .andAggregateBy((facet: Any) =>
        facet.byRanges(
          RangeBuilder.forPath<number>("price").isLessThan(300),
          RangeBuilder.forPath<number>("price").isGreaterThanOrEqualTo(300),
        ),
      )
      .execute();
    observe("facets", facets);
    observe("a class of its own", facets.brand.constructor.name);
    const some = indexed().whereGreaterThan("price", 200);
    const options = { termSortMode: "CountDesc", pageSize: 1, includeRemainingTerms: true };
    const first = (facet: Any) => facet.byField("brand").withOptions(options).withDisplayName("B");
    observe("some facets", await some.aggregateBy(first).execute());
    const average = (facet: Any) => facet.allResults().averageOn("price");
    observe("of all results", await indexed().aggregateBy(average).execute());

    const setup = new FacetSetup();
    const brand = Object.assign(new Facet(), { fieldName: "brand" });
    setup.facets = [brand];
    setup.rangeFacets = [Object.assign(new RangeFacet(), { ranges: ["price < 300", "price >= 300"] })];
    setup.id = "facets/cameras";
    const session = store.openSession();
    await session.store(setup);
    await session.saveChanges();
    const { Id, Facets, RangeFacets, "@metadata": metadata } = await server.document("facets/cameras");
    observe("a facet setup is stored", [Id, Facets, RangeFacets, metadata["@collection"]]);
    observe("and used", await indexed().aggregateUsing("facets/cameras").execute());
    const words = new MoreLikeThisStopWords();
    words.id = "stop/words";
    words.stopWords = ["quick", "the"];
    await session.store(words);
    await session.saveChanges();
    observe("stop words are stored", await server.fields("stop/words"));

    const counted = store.openSession();
    let event: Any;
    const listened = counted.query<Any>({ indexName: "Cameras/Features" }) as Any;
    listened.on("afterQueryExecuted", (result: Any) => {
      event = [result.results.map(({ name }: Any) => name), result.totalResults];
    });
    await listened.aggregateBy((facet: Any) => facet.byField("brand")).execute();
    observe("facets are one request, and raise the event", [counted.advanced.numberOfRequests, event]);

    const raw = store
      .openSession()
      .advanced.rawQuery<Any>(
        "from index 'Cameras/Features' where price > $least select facet(brand, sum(price))",
      )
      .addParameter("least", 100)
      .waitForNonStaleResults();
    observe("facets of a raw query", await raw.executeAggregation());
    const endings: Record<string, (query: Any) => Any> = {
      all: (query) => query.all(),
      firstOrNull: (query) => query.firstOrNull(),
      lazily: (query) => query.lazily().getValue(),
      count: (query) => query.count(),
      any: (query) => query.any(),
      getQueryResult: async (query) => (await query.getQueryResult()).results,
    };
    for (const text of [
      "from index 'Cameras/Features' select facet(brand)",
      "from index 'Articles/Texts' select suggest(title, 'artikle1')",
    ])
      for (const [ending, call] of Object.entries(endings)) {
        const made = store.openSession().advanced.rawQuery<Any>(text);
        const found = await failure(() => call(made), "executeAggregation");
        if (/all|first|lazily/.test(ending))
          better(`${ending}() of ${text}`, found, {
            // Of suggestions it says that it cannot read an `@id`.
            ravendb: { error: "RavenException", mentions: text.includes("facet") },
            edge: { error: "InvalidOperationException", mentions: true },
          });
        else observe(`${ending}() of ${text}`, found);
      }

    const lazily = store.openSession();
    const pending = (lazily.query<Any>({ indexName: "Cameras/Features" }) as Any)
      .aggregateBy((facet: Any) => facet.byField("brand"))
      .executeLazy();
    const suggested = (lazily.query<Any>({ indexName: "Articles/Texts" }) as Any)
      .suggestUsing((builder: Any) => builder.byField("title", "artikle1"))
      .executeLazy();
    const both = [await pending.getValue(), await suggested.getValue()];
    observe("lazily", [...both, lazily.advanced.numberOfRequests]);

    const articles = () => store.openSession().query<Any>({ indexName: "Articles/Texts" }) as Any;
    observe(
      "suggestions",
      await articles()
        .suggestUsing((builder: Any) =>
          builder
            .byField("title", "artikle1")
            .withDisplayName("titles")
            .withOptions({ accuracy: 0.3, sortMode: "Popularity" }),
        )
        .execute(),
    );
    let explained: Any;
    let marked: Any;
    const fragments = await articles()
      .search("body", "fox")
      .includeExplanations((found: Any) => (explained = found))
      .highlight(
        { fieldName: "body", fragmentLength: 30, fragmentCount: 1 },
        (found: Any) => (marked = found),
      )
      .all();
    observe("highlights", [
      fragments.length,
      marked.fieldName,
      marked.resultIndents,
      marked.getFragments("articles/1"),
    ]);
    observe("no highlights", marked.getFragments("articles/4"));
    observe("explanations", [
      Object.keys(explained.explanations),
      explained.explanations["articles/1"].length > 0,
    ]);
    const alike = {
      minimumTermFrequency: 1,
      minimumDocumentFrequency: 1,
      minimumWordLength: 1,
      fields: ["body"],
    };
    observe(
      "similar documents",
      (
        await ids(
          articles().moreLikeThis((similar: Any) =>
            similar.usingDocument((query: Any) => query.whereEquals("id()", "articles/1")).withOptions(alike),
          ),
        )
      ).sort(),
    );
    observe(
      "similar to a document that is not stored",
      (
        await ids(
          articles().moreLikeThis((similar: Any) =>
            similar
              .usingDocument(JSON.stringify({ body: "brown dog" }))
              .withOptions({ ...alike, stopWordsDocumentId: "stop/words" }),
          ),
        )
      ).sort(),
    );

    const point = new PointField("latitude", "longitude");
    const everywhere = () =>
      cameras().spatial(point, (criteria: Any) => criteria.withinRadius(30_000, 32.5, 34.9));
    observe(
      "in a circle, nearest first",
      await ids(
        cameras()
          .spatial(point, (criteria: Any) => criteria.withinRadius(100, 32.5, 34.9))
          .orderByDistance(point, 32.5, 34.9),
      ),
    );
    observe("farthest first", await ids(everywhere().orderByDistanceDescending(point, 32.5, 34.9)));
    observe(
      "rounded",
      await ids(
        everywhere()
          .orderByDistance(new PointField("latitude", "longitude").roundTo(500), 32.5, 34.9)
          .orderBy("price", "Long"),
      ),
    );
    observe(
      "in a shape",
      await ids(
        cameras()
          .spatial(new WktField("place"), (criteria: Any) =>
            criteria.within("POLYGON ((34 31, 36 31, 36 33, 34 33, 34 31))"),
          )
          .orderBy("price", "Long"),
      ),
    );
    const around = () => indexed().withinRadiusOf("coordinates", 100, 32.5, 34.9);
    observe("in a circle of an index", await ids(around().orderByDistance("coordinates", 32.6, 34.95)));
    observe("in miles", await ids(indexed().withinRadiusOf("coordinates", 5, 32.5, 34.9, "Miles")));
    const shape = "POLYGON ((34 31, 36 31, 36 33, 34 33, 34 31))";
    observe(
      "outside of a shape",
      await ids(indexed().relatesToShape("coordinates", shape, "Disjoint").orderBy("price", "Long")),
    );
    observe(
      "a filter",
      await ids(
        cameras()
          .whereGreaterThan("price", 100)
          .orderBy("price", "Long")
          .filter((camera: Any) => camera.equals("brand", "Canon")),
      ),
    );
    observe(
      "a limited filter",
      await failure(() =>
        cameras()
          .orderBy("price", "Long")
          .filter((camera: Any) => camera.equals("brand", "Canon"), 1)
          .all(),
      ),
    );
    observe(
      "vectors",
      (
        await ids(
          cameras().vectorSearch(
            (fields: Any) => fields.withEmbedding("vector"),
            (value: Any) => value.byEmbedding([1, 0, 0]),
            { similarity: 0.8 },
          ),
        )
      ).sort(),
    );
    observe(
      "vectors like those of a document",
      (
        await ids(
          cameras().vectorSearch(
            (fields: Any) => fields.withEmbedding("vector"),
            (value: Any) => value.forDocument("cameras/3"),
            { similarity: 0.8, isExact: true },
          ),
        )
      ).sort(),
    );
    observe(
      "a value of compare exchange",
      (await ids(cameras().whereEquals("brand", CmpXchg.value("favorite")))).sort(),
    );
    const parts = cameras()
      .spatial(point, (criteria: Any) => criteria.withinRadius(100, 32.5, 34.9))
      .orderBy("price", "Long")
      .selectFields(["brand", "price"]);
    observe(
      "parts of what is found",
      (await parts.all()).map(({ brand, price }: Any) => [brand, price]),
    );
    observe("count and any", [
      await cameras()
        .filter((camera: Any) => camera.equals("brand", "Nikon"))
        .any(),
      await cameras()
        .spatial(point, (criteria: Any) => criteria.withinRadius(100, 32.5, 34.9))
        .count(),
    ]);
  },

  "a tag is in the address": async ({ open, observe, server }) => {
    const { url, sent, close } = await recorder(server.url);
    const store = open(undefined, { url });
    const session = store.openSession();
    await (session.query<Any>({ collection: "Cameras" }) as Any).withTag("a b&c").all();
    await session.advanced.rawQuery<Any>("from Cameras").withTag("raw").all();
    const stream = await session.advanced.stream(
      (session.query<Any>({ collection: "Cameras" }) as Any).withTag("s"),
    );
    let streamed = 0;
    for await (const _ of stream as Any) streamed += 1;
    observe("streamed", streamed);
    const queries = sent.filter(({ route }) => /^(streams\/)?queries/.test(route));
    observe(
      "requests",
      queries.map(({ route }) => /[?&]tag=([^&]*)/.exec(route)?.[1]),
    );
    const query = session.query<Any>({ collection: "Cameras" }) as Any;
    observe("the index query has it", query.withTag("t").getIndexQuery().tag);
    observe(
      "an index that does not exist",
      await failure(() => (session.query<Any>({ indexName: "None" }) as Any).withTag("t").all()),
    );
    close();
  },

  "what npm `ravendb` does otherwise": async ({ open, better, server }) => {
    const store = open();
    const distances: [build: (query: Any) => Any, field: string, end: string, parameters: object][] = [
      [
        (query) => query.orderByDistance(new PointField("a", "b"), 1, 2),
        "spatial.point(a, b)",
        "spatial.point($p0, $p1))",
        { p0: 1, p1: 2 },
      ],
      [
        (query) => query.orderByDistanceDescending(new PointField("a", "b").roundTo(5), 1, 2, "Last"),
        "spatial.point(a, b)",
        "spatial.point($p1, $p2), $p0) desc nulls last",
        { p0: 5, p1: 1, p2: 2 },
      ],
      [
        (query) => query.orderByDistance(new WktField("a"), "POINT (1 2)"),
        "spatial.wkt(a)",
        "spatial.wkt($p0))",
        { p0: "POINT (1 2)" },
      ],
    ];
    // The server orders by the quoted function only if the index has it from a condition.
    for (const [build, field, end, parameters] of distances)
      better(`distances of ${field}, ${end}`, await rqlOf(store, build), {
        ravendb: { succeeded: [`from 'Cameras' order by spatial.distance('${field}', ${end}`, parameters] },
        edge: { succeeded: [`from 'Cameras' order by spatial.distance(${field}, ${end}`, parameters] },
      });
    const rounded = (query: Any) => query.orderByDistance(new WktField("a").roundTo(5), "POINT (1 2)");
    better("roundTo for a distance to a shape", await rqlOf(store, rounded), {
      ravendb: {
        succeeded: [
          "from 'Cameras' order by spatial.distance('spatial.wkt(a)', spatial.wkt($p0))",
          { p0: "POINT (1 2)" },
        ],
      },
      edge: {
        succeeded: [
          "from 'Cameras' order by spatial.distance(spatial.wkt(a), spatial.wkt($p1), $p0)",
          { p0: 5, p1: "POINT (1 2)" },
        ],
      },
    });
    const wrong: Record<string, [build: (query: Any) => Any, name: string]> = {
      "suggestions of nothing": [(query) => query.suggestUsing(() => {}), "InvalidArgumentException"],
      "points of an index": [
        (query) => query.spatial(new PointField("a", "b"), (criteria: Any) => criteria.withinRadius(1, 2, 3)),
        "InvalidOperationException",
      ],
      "distances of points of an index": [
        (query) => query.orderByDistance(new PointField("a", "b"), 1, 2),
        "InvalidOperationException",
      ],
    };
    for (const [name, [build, error]] of Object.entries(wrong))
      better(name, await failure(() => build(store.openSession().query({ indexName: "Cameras/Features" }))), {
        ravendb: fails("TypeError"),
        edge: fails(error),
      });
    const setup = Object.assign(new FacetSetup(), { id: "facets/sums" });
    const facet = Object.assign(new Facet(), { fieldName: "brand" });
    facet.aggregations.set("Sum", new Set([Object.assign(new FacetAggregationField(), { name: "price" })]));
    setup.facets = [facet];
    const session = store.openSession();
    await session.store(setup);
    await session.saveChanges();
    const stored = (await server.document("facets/sums")).Facets[0].Aggregations;
    better("aggregations of a facet setup", stored, { ravendb: {}, edge: { Sum: [{ Name: "price" }] } });
    const injected = (query: Any) =>
      query.aggregateBy((given: Any) => given.byField("brand").sumOn("a) , b"));
    better("a name that is no name", await rqlOf(store, injected), {
      ravendb: { succeeded: ["from 'Cameras' select facet(brand, sum(a) , b))", {}] },
      edge: { succeeded: ["from 'Cameras' select facet(brand, sum('a) , b'))", {}] },
    });
    better(
      "numbers that are none",
      await rqlOf(store, (query) => query.vectorSearch("v", [1], { similarity: "1) or (true" })),
      {
        ravendb: {
          succeeded: ["from 'Cameras' where vector.search(v, $p0, 1) or (true, null)", { p0: [1] }],
        },
        edge: fails("InvalidArgumentException"),
      },
    );
  },
});
