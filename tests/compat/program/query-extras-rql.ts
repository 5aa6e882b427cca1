// What few queries use: RQL and parameters as they are sent.
import {
  CmpXchg,
  Facet,
  FacetAggregationField,
  FacetOptions,
  PointField,
  RangeBuilder,
  RangeFacet,
  RavenQuery,
  RavenVector,
  VectorQuantizer,
  WktField,
} from "client";
import { area } from "./harness.js";
import { rqlOf } from "./query-text.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape, and queries of either client
type Any = any;

/** Each is built on a query of the cameras. */
const QUERIES: Record<string, (query: Any) => Any> = {
  "a facet": (query) => query.aggregateBy((facet: Any) => facet.byField("brand")),
  "a facet with everything": (query) =>
    query.aggregateBy((facet: Any) =>
      facet
        .byField("brand")
        .withDisplayName("Brands")
        .withOptions({ termSortMode: "CountDesc", pageSize: 2, includeRemainingTerms: true })
        .sumOn("price")
        .minOn("price", "cheapest")
        .maxOn("megapixels")
        .averageOn("price", "mean"),
    ),
  "a facet with default options": (query) =>
    query.aggregateBy((facet: Any) => facet.byField("brand").withOptions(FacetOptions.getDefaultOptions())),
  "a facet of a keyword": (query) => query.aggregateBy((facet: Any) => facet.byField("order")),
  "a facet of ranges": (query) =>
    query.aggregateBy((facet: Any) =>
      facet
        .byRanges(
          RangeBuilder.forPath<number>("price").isLessThan(200),
          RangeBuilder.forPath<number>("price").isGreaterThanOrEqualTo(200).isLessThan(500),
          RangeBuilder.forPath<number>("price").isGreaterThan(500).isLessThanOrEqualTo(2000),
        )
        .maxOn("megapixels"),
    ),
  "a facet of ranges of dates": (query) =>
    query.aggregateBy((facet: Any) => facet.byRanges(RangeBuilder.forPath("sold").isLessThan(new Date(0)))),
  "a facet of all results": (query) => query.aggregateBy((facet: Any) => facet.allResults().sumOn("price")),
  "two facets": (query) =>
    query
      .whereGreaterThan("price", 100)
      .aggregateBy((facet: Any) => facet.byField("brand"))
      .andAggregateBy((facet: Any) => facet.byField("megapixels").minOn("price")),
  "a facet as an object": (query) => {
    const facet = new Facet();
    facet.fieldName = "brand";
    facet.displayFieldName = "Brand";
    facet.options = Object.assign(new FacetOptions(), { pageSize: 1 });
    const price = Object.assign(new FacetAggregationField(), { name: "price", displayName: "total" });
    facet.aggregations.set("Sum", new Set([price]));
    return query.aggregateBy(facet);
  },
  "facets as objects": (query) => {
    const [brand, prices] = [new Facet(), new RangeFacet()];
    brand.fieldName = "brand";
    prices.ranges = ["price < 300", "price >= 300"];
    return query.aggregateBy(brand, prices);
  },
  "a facet that is added as an object": (query) => {
    const prices = Object.assign(new RangeFacet(), { ranges: ["price < 300"], displayFieldName: "cheap" });
    return query.aggregateBy((facet: Any) => facet.byField("brand")).andAggregateBy(prices);
  },
  suggestions: (query) => query.suggestUsing((builder: Any) => builder.byField("brand", "Cannon")),
  "suggestions for several terms, with everything": (query) =>
    query.suggestUsing((builder: Any) =>
      builder
        .byField("brand", ["Cannon", "Nikkon"])
        .withDisplayName("Brands")
        .withOptions({ accuracy: 0.4, pageSize: 5, distance: "JaroWinkler", sortMode: "Popularity" }),
    ),
  "suggestions for another field": (query) =>
    query
      .suggestUsing((builder: Any) => builder.byField("brand", "Cannon"))
      .andSuggestUsing((builder: Any) => builder.byField("name", "a")),
  highlight: (query) =>
    query
      .search("brand", "canon")
      .highlight({ fieldName: "brand", fragmentLength: 18, fragmentCount: 2 }, () => {})
      .highlight(
        { fieldName: "name", fragmentLength: 9, fragmentCount: 1, preTags: ["<i>"], postTags: ["</i>"] },
        () => {},
      ),
  includeExplanations: (query) => query.whereEquals("brand", "Canon").includeExplanations(() => {}),
  "what is included, in its order": (query) =>
    query
      .timings(() => {})
      .includeExplanations({ groupKey: "brand" }, () => {})
      .highlight({ fieldName: "brand", fragmentLength: 18, fragmentCount: 2 }, () => {})
      .include("shop"),
  withinRadiusOf: (query) => query.withinRadiusOf("coordinates", 10, 32.5, 34.9),
  "withinRadiusOf in miles": (query) => query.withinRadiusOf("coordinates", 10, 32.5, 34.9, "Miles", 0.1),
  relatesToShape: (query) => query.relatesToShape("coordinates", "CIRCLE (34.9 32.5 d=10)", "Within"),
  "relatesToShape with an error": (query) =>
    query.relatesToShape("coordinates", "POINT (34.9 32.5)", "Disjoint", 0.1),
  "relatesToShape with units": (query) =>
    query.relatesToShape("coordinates", "POINT (34.9 32.5)", "Intersects", "Miles"),
  "relatesToShape with units and an error": (query) =>
    query.relatesToShape("coordinates", "POINT (34.9 32.5)", "Contains", "Kilometers", 0.2),
  "spatial with a field": (query) =>
    query.spatial("coordinates", (criteria: Any) =>
      criteria.withinRadius(10, 32.5, 34.9, "Kilometers", 0.05),
    ),
  "spatial with a point": (query) =>
    query.spatial(new PointField("latitude", "longitude"), (criteria: Any) =>
      criteria.withinRadius(20, 32.5, 34.9),
    ),
  "spatial with a shape": (query) =>
    query.spatial(new WktField("place"), (criteria: Any) =>
      criteria.within("POLYGON ((34 32, 36 32, 36 33, 34 33, 34 32))", 0.01),
    ),
  "spatial relations": (query) =>
    query
      .spatial("a", (criteria: Any) => criteria.intersects("POINT (1 2)"))
      .spatial("a", (criteria: Any) => criteria.contains("POINT (1 2)", "Miles"))
      .spatial("a", (criteria: Any) => criteria.disjoint("POINT (1 2)", "Miles", 0.5))
      .spatial("a", (criteria: Any) => criteria.relatesToShape("POINT (1 2)", "Within")),
  "not in a place": (query) => query.not().withinRadiusOf("coordinates", 10, 32.5, 34.9),
  "not in a place of documents": (query) =>
    query
      .not()
      .spatial(new PointField("latitude", "longitude"), (criteria: Any) =>
        criteria.withinRadius(20, 32.5, 34.9),
      ),
  "in a place and something else": (query) =>
    query
      .whereEquals("brand", "Canon")
      .orElse()
      .spatial(new PointField("latitude", "longitude"), (criteria: Any) =>
        criteria.withinRadius(20, 32.5, 34.9),
      )
      .boost(2),
  orderByDistance: (query) => query.orderByDistance("coordinates", 32.5, 34.9),
  "orderByDistance, rounded": (query) => query.orderByDistance("coordinates", 32.5, 34.9, 100, "Last"),
  "orderByDistance, nulls first": (query) => query.orderByDistance("coordinates", 32.5, 34.9, "First"),
  "orderByDistance to a shape": (query) => query.orderByDistance("coordinates", "POINT (34.9 32.5)"),
  "orderByDistance to a shape, rounded": (query) =>
    query.orderByDistanceDescending("coordinates", "POINT (34.9 32.5)", 5, "First"),
  "moreLikeThis a stored document": (query) =>
    query.moreLikeThis((similar: Any) =>
      similar.usingDocument((inner: Any) => inner.whereEquals("id()", "cameras/1")),
    ),
  "moreLikeThis with options": (query) =>
    query
      .whereExists("brand")
      .moreLikeThis((similar: Any) =>
        similar
          .usingDocument((inner: Any) =>
            inner.whereEquals("brand", "Canon").andAlso().whereGreaterThan("price", 3),
          )
          .withOptions({ minimumTermFrequency: 1, fields: ["brand"], stopWordsDocumentId: "stop" }),
      )
      .whereGreaterThan("price", 1),
  "moreLikeThis a document": (query) =>
    query.moreLikeThis((similar: Any) => similar.usingDocument(JSON.stringify({ brand: "Canon" }))),
  "moreLikeThis any document": (query) => query.moreLikeThis((similar: Any) => similar.usingAnyDocument()),
  filter: (query) => query.filter((camera: Any) => camera.equals("brand", "Canon")),
  "filter with everything": (query) =>
    query
      .whereGreaterThan("price", 1)
      .orderBy("price", "Long")
      .filter(
        (camera: Any) =>
          camera
            .equals("brand", "Canon", true)
            .orElse()
            .openSubclause()
            .not()
            .equals("brand", "Sony")
            .andAlso()
            .greaterThan("price", 1)
            .lessThan("price", 1000)
            .closeSubclause()
            .greaterThanOrEqual("megapixels", 1)
            .lessThanOrEqual("megapixels", 30)
            .notEquals({ fieldName: "brand", value: "Leica" }),
        100,
      )
      .selectFields(["brand"])
      .take(3),
  "two filters": (query) =>
    query
      .filter((camera: Any) => camera.equals("brand", "Canon"))
      .filter((camera: Any) => camera.greaterThan("price", 1), 7),
  "a filter of groups": (query) =>
    query
      .groupBy("brand")
      .selectKey("brand")
      .filter((group: Any) => group.notEquals("brand", "Sony"))
      .selectCount(),
  "vectorSearch of a field": (query) => query.vectorSearch("vector", [1, 0, 0]),
  "vectorSearch of vectors": (query) =>
    query.vectorSearch(
      (fields: Any) => fields.withEmbedding("vector"),
      (value: Any) => value.byEmbedding(RavenVector([1, 0, 0])),
      { similarity: 0.75, numberOfCandidates: 8, isExact: true },
    ),
  "vectorSearch, smaller": (query) =>
    query.vectorSearch(
      (fields: Any) => fields.withEmbedding("vector", "Single").targetQuantization("Int8"),
      (value: Any) => value.byEmbedding([1, 0, 0]),
    ),
  "vectorSearch of bytes": (query) =>
    query.vectorSearch(
      (fields: Any) => fields.withEmbedding("bytes", "Int8"),
      (value: Any) => value.byEmbedding(VectorQuantizer.toInt8([0.1, 0.2])),
    ),
  "vectorSearch of bits": (query) =>
    query.vectorSearch(
      (fields: Any) => fields.withBase64("bits", "Binary"),
      (value: Any) => value.byBase64("AAECAw=="),
    ),
  "vectorSearch of several vectors": (query) =>
    query.vectorSearch("vector", (value: Any) =>
      value.byEmbeddings([
        [1, 0, 0],
        [0, 1, 0],
      ]),
    ),
  "vectorSearch of a document": (query) =>
    query
      .vectorSearch(
        (fields: Any) => fields.withEmbedding("vector"),
        (value: Any) => value.forDocument("cameras/1"),
        { numberOfCandidates: 2 },
      )
      .boost(2),
  "vectorSearch of an indexed field": (query) =>
    query
      .whereExists("brand")
      .andAlso()
      .vectorSearch(
        (fields: Any) => fields.withField("vector"),
        (value: Any) => value.byEmbedding([1, 0]),
        {
          similarity: 0.5,
        },
      ),
  "not a vectorSearch": (query) => query.not().vectorSearch("vector", [1]),
  shardContext: (query) => query.shardContext((shard: Any) => shard.byDocumentId("cameras/1")),
  "shardContext of several": (query) =>
    query.shardContext((shard: Any) =>
      shard.byDocumentIds(["cameras/1", "cameras/2"]).byDocumentId("cameras/1"),
    ),
  "a value of compare exchange": (query) => query.whereEquals("brand", CmpXchg.value("favorite")),
  "not a value of compare exchange": (query) =>
    query.not().whereEquals("brand", CmpXchg.value("favorite"), true),
  "the server's time": (query) =>
    query
      .whereGreaterThan("sold", RavenQuery.now("-1d"))
      .whereLessThanOrEqual("sold", RavenQuery.now())
      .whereNotEquals("sold", RavenQuery.today()),
  "the server's time in a filter": (query) =>
    query.filter((camera: Any) => camera.lessThan("sold", RavenQuery.now())),
};

export default area({
  "text and parameters": async ({ open, observe }) => {
    const store = open();
    for (const [name, build] of Object.entries(QUERIES)) observe(name, await rqlOf(store, build));
  },
});
