// What few queries use: calls that have no meaning.
import { RangeBuilder } from "client";
import { area, failure } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: queries of either client
type Any = any;

export default area({
  "calls that have no meaning": async ({ open, observe }) => {
    const store = open();
    const wrong: Record<string, (query: Any) => Any> = {
      "no facet": (query) => query.aggregateBy(null),
      "a facet of nothing": (query) => query.aggregateBy(() => {}),
      "a range without bounds": (query) =>
        query.aggregateBy((facet: Any) => facet.byRanges(RangeBuilder.forPath("price"))),
      "a range with two upper bounds": (query) =>
        query.aggregateBy((facet: Any) =>
          facet.byRanges(RangeBuilder.forPath<number>("price").isLessThan(1).isLessThanOrEqualTo(2)),
        ),
      "facets and fields": (query) =>
        query.selectFields(["brand"]).aggregateBy((facet: Any) => facet.byField("brand")),
      "facets and distinct": (query) => query.distinct().aggregateBy((facet: Any) => facet.byField("brand")),
      "no facet setup": (query) => query.aggregateUsing(""),
      "a suggestion without a field": (query) =>
        query.suggestUsing((builder: Any) => builder.byField("", "a")),
      "a suggestion without a term": (query) =>
        query.suggestUsing((builder: Any) => builder.byField("a", "")),
      "a suggestion with no terms": (query) => query.suggestUsing((builder: Any) => builder.byField("a", [])),
      "suggestions with a condition": (query) =>
        query.whereEquals("brand", "a").suggestUsing((builder: Any) => builder.byField("a", "b")),
      "suggestions with an order": (query) =>
        query.orderBy("brand").suggestUsing((builder: Any) => builder.byField("a", "b")),
      "suggestions with fields": (query) =>
        query.selectFields(["brand"]).suggestUsing((builder: Any) => builder.byField("a", "b")),
      "suggestions for a field again": (query) =>
        query
          .suggestUsing((builder: Any) => builder.byField("a", "b"))
          .andSuggestUsing((builder: Any) => builder.byField("a", "c")),
      "explanations twice": (query) => query.includeExplanations(() => {}).includeExplanations(() => {}),
      "a filter of no results": (query) => query.filter((camera: Any) => camera.equals("a", 1), 0),
      "a relation that does not exist": (query) => query.relatesToShape("a", "POINT (1 2)", "Near"),
      "vectors of no value": (query) => query.vectorSearch("a", () => {}),
      "vectors as texts": (query) =>
        query.vectorSearch((fields: Any) => fields.withEmbedding("a").targetQuantization("Text"), [1]),
      "bytes as bits": (query) =>
        query.vectorSearch(
          (fields: Any) => fields.withEmbedding("a", "Int8").targetQuantization("Binary"),
          [1],
        ),
      "two tasks": (query) =>
        query.vectorSearch(
          (fields: Any) => fields.withText("a").usingTask("one"),
          (value: Any) => value.byText("b", "two"),
        ),
      "a blank tag": (query) => query.withTag(" "),
      "boost of an order by distance": (query) => query.orderByDistance("a", 1, 2).boost(2),
    };
    for (const [name, build] of Object.entries(wrong)) {
      observe(
        name,
        await failure(() => {
          build(store.openSession().query({ collection: "Cameras" }));
        }),
      );
    }
    const query = store.openSession().query<Any>({ collection: "Cameras" }).whereEquals("brand", "a");
    await failure(() => query.aggregateBy(() => {}));
    await failure(() => query.vectorSearch("a", () => {}));
    observe("leave the query as it was", String(query));
  },
});
