// Queries whose code a page or Worker loads when they use it: facets, suggestions, places … `slim` loads parts as pages do; no other
// entry is imported here, which would bring them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  CmpXchg,
  DocumentStore,
  MoreLikeThisUsingDocument,
  PointField,
  SuggestionWithTerm,
  SuggestionWithTerms,
  useModule,
} from "../../pkg/dist/entries/slim.js";
import { loadedPart, provideLoaders } from "../../pkg/dist/runtime/load-part.js";
import { after } from "../support/cleanup.mjs";
import { database, onRavenDb, putDocument } from "../support/server.mjs";

useModule(await readFile(new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url)));

const load = () => import("../../pkg/dist/query-extras/extras.js");
const [point, near] = [new PointField("lat", "lng"), (criteria) => criteria.withinRadius(50, 1, 2)];
const fragments = { fieldName: "name", fragmentLength: 20, fragmentCount: 1 };

function opened(t, url, name) {
  const store = new DocumentStore(url, name);
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  after(t, () => store.dispose());
  return store;
}

const textOf = async (query) => JSON.parse(await query.indexQuery());

// Must run first, before the part is loaded.
test("calls before the part is loaded keep their place, and their errors are those of the ending", async (t) => {
  const store = opened(t, "http://127.0.0.1:1", "Shop");
  await store.ready();
  const query = () => store.openSession().query({ collection: "Places" });
  provideLoaders({ extras: () => Promise.reject(new Error("offline")) });
  let explained;
  const made = query()
    .whereEquals("a", 1)
    .spatial(point, near)
    .boost(2)
    .includeExplanations((given) => {
      explained = given;
    })
    .filter((place) => place.equals("b", 2), 9)
    .whereEquals("c", 3)
    .take(4);
  assert.throws(() => made.toString(), { code: "InvalidOperation", message: /indexQuery\(\)/ });
  await assert.rejects(made.all(), { code: "LoadFailed", message: /extras/ });
  const wrong = query()
    .whereEquals("a", 1)
    .suggestUsing((builder) => builder.byField("b", "c"));
  const shown = query()
    .whereEquals("a", 1)
    .suggestUsing((builder) => builder.byField("b", "c"));
  const unread = query().vectorSearch("v", () => {});
  const facets = query().aggregateBy((facet) => facet.byField("a"));
  const called = query().whereEquals("a", CmpXchg.value("k"));
  const copied = query()
    .highlight(fragments, () => {})
    .selectFields(["name"]);
  assert.equal(loadedPart("extras"), undefined, "nothing has loaded it");

  provideLoaders({ extras: load });
  assert.deepEqual(await textOf(made), {
    Query:
      "from 'Places' where a = $p0 and boost(spatial.within(spatial.point(lat, lng), spatial.circle($p1, $p2, $p3)), 2) and c = $p5 " +
      "filter b = $p4 include explanations() limit $p6, $p7 filter_limit $p8",
    QueryParameters: { p0: 1, p1: 50, p2: 1, p3: 2, p4: 2, p5: 3, p6: null, p7: 4, p8: 9 },
  });
  assert.ok(explained);
  await assert.rejects(wrong.execute(), { code: "InvalidOperation", message: /suggestions/ });
  await assert.rejects(wrong.execute(), { code: "InvalidOperation" }, "and stays wrong");
  for (const _ of [1, 2]) assert.throws(() => shown.toString(), { message: /suggestions/ });
  await assert.rejects(unread.all(), { code: "InvalidOperation", message: /value/ });
  assert.equal(facets.toString(), "from 'Places' select facet(a)");
  assert.equal((await textOf(called)).Query, "from 'Places' where a = cmpxchg($p0)");
  assert.match(
    (await textOf(copied)).Query,
    /^from 'Places' select name, .* include highlight\(name,20,1,\$p0\)$/,
  );

  assert.throws(
    () => query().vectorSearch("v", () => {}),
    { code: "InvalidOperation" },
    "at once from now on",
  );
  const kept = query().whereEquals("a", 1);
  assert.throws(() => kept.moreLikeThis((similar) => similar.withOptions({})), { code: "InvalidArgument" });
  assert.equal(kept.toString(), "from 'Places' where a = $p0");
});

test("suggestions and documents may be given as objects", async (t) => {
  await load();
  const query = () => opened(t, "http://127.0.0.1:1", "Shop").openSession().query({ collection: "Places" });
  const [one, several] = [new SuggestionWithTerm("a"), new SuggestionWithTerms("b")];
  Object.assign(one, { term: "x" });
  Object.assign(several, { terms: ["y"], displayField: "c" });
  const suggested = query().suggestUsing(one).andSuggestUsing(several);
  assert.equal(suggested.toString(), "from 'Places' select suggest(a, $p0), suggest(b, $p1) as c");
  const document = Object.assign(new MoreLikeThisUsingDocument("{}"), { options: { maximumQueryTerms: 3 } });
  assert.deepEqual(await textOf(query().moreLikeThis(document)), {
    Query: "from 'Places' where moreLikeThis($p1, $p0)",
    QueryParameters: { p0: { MaximumQueryTerms: 3 }, p1: "{}" },
  });
});

test("a name is one name in every place, and values that are no numbers are refused", (t) => {
  const name = "a) or ('b";
  const query = () => opened(t, "http://127.0.0.1:1", "Shop").openSession().query({ collection: "Places" });
  const quoted = String.raw`'a) or (\'b'`;
  for (const [built, text] of [
    [query().aggregateBy((facet) => facet.byField(name).withDisplayName(name)), `select facet(${quoted})`],
    [
      query().aggregateBy((facet) => facet.byField("c").sumOn(name, name)),
      `select facet(c, sum(${quoted}) as ${quoted})`,
    ],
    [query().aggregateUsing(name), `select facet(id(${quoted}))`],
    [query().suggestUsing((builder) => builder.byField(name, "x")), `select suggest(${quoted}, $p0)`],
    [query().orderByDistance(name, 1, 2), `order by spatial.distance(${quoted}, spatial.point($p0, $p1))`],
    [query().withinRadiusOf(name, 1, 2, 3), `where spatial.within(${quoted}, spatial.circle($p0, $p1, $p2))`],
    [query().vectorSearch(name, [1]), `where vector.search(${quoted}, $p0)`],
    [
      query().vectorSearch((fields) => fields.withText("t").usingTask(name), "x"),
      `where vector.search(embedding.text(t, ai.task(${quoted})), $p0)`,
    ],
    [query().highlight({ ...fragments, fieldName: name }, () => {}), `include highlight(${quoted},20,1,$p0)`],
    [query().suggestUsing((builder) => builder.byField("a.b c", "x")), "select suggest(a.'b c', $p0)"],
    [query().suggestUsing((builder) => builder.byField("a b.c", "x")), "select suggest('a b.c', $p0)"],
    [query().aggregateBy((facet) => facet.byField("a.b c")), "select facet('a.b c')"],
    [
      query().orderByDistance(new PointField("a.b c", "a.d"), 1, 2),
      "order by spatial.distance(spatial.point(a.'b c', a.d), spatial.point($p0, $p1))",
    ],
    // Once documents have a name, it is before every field.
    [
      query()
        .filter((place) => place.equals("a b.c", 1))
        .vectorSearch((fields) => fields.withText("t"), "x")
        .orderByDistance("p", 1, 2),
      "as doc where vector.search(embedding.text(doc.t), $p1) order by spatial.distance(doc.p, spatial.point($p2, $p3)) " +
        "filter doc.'a b'.c = $p0",
    ],
  ])
    assert.equal(built.toString(), `from 'Places' ${text}`);
  for (const call of [
    (query) => query.highlight({ ...fragments, fragmentLength: "1) or (1" }, () => {}),
    (query) => query.vectorSearch("v", [1], { similarity: "0) or (1" }),
    (query) => query.withinRadiusOf("p", 1, 2, 3, "Miles') or ('"),
    (query) => query.withinRadiusOf("p", 1, 2, 3, null, "0) or (1"),
    (query) => query.relatesToShape("p", "POINT (1 2)", "Within(1) or spatial.Within"),
  ])
    assert.throws(() => call(query()), { code: "InvalidArgument" });
});

test("a named query has none of these methods", (t) => {
  const store = new DocumentStore("http://127.0.0.1:1", "Shop").named({
    queries: { all: { query: "from Places" } },
  });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  after(t, () => store.dispose());
  return assert.rejects(store.openSession().query({ named: "all" }).spatial(point, near).all(), {
    code: "InvalidOperation",
    message: /no spatial/,
  });
});

onRavenDb(
  "a page finds places with odd names, by distance, and a failed query can be sent again",
  async (t, server) => {
    const name = await database(t, server);
    for (const [id, lat] of [
      ["places/1", 1],
      ["places/2", 1.2],
      ["places/3", 40],
    ])
      await putDocument(server, name, id, {
        "it's lat": lat,
        lng: 2,
        "@metadata": { "@collection": "Places" },
      });
    const session = opened(t, server.url, name).openSession();
    const odd = new PointField("it's lat", "lng");
    const query = session
      .query({ collection: "Places" })
      .waitForNonStaleResults()
      .orderByDistanceDescending(odd, 1, 2);
    const failing = session
      .query({ indexName: "None" })
      .includeExplanations(() => {})
      .filter((place) => place.equals("a", 1));
    await assert.rejects(failing.first(), { type: /IndexDoesNotExistException$/ });
    await assert.rejects(failing.first(), { type: /IndexDoesNotExistException$/ });
    assert.equal((await textOf(failing)).Query, "from index 'None' filter a = $p0 include explanations()");
    assert.deepEqual(
      (await query.all()).map(({ id }) => id),
      ["places/3", "places/2", "places/1"],
    );
  },
);
