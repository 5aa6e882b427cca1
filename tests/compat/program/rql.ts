// The RQL of a query and its parameters, as they are sent.
import { CONSTANTS, GroupByField } from "client";
import { area, fails, failure, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape, and queries of either client
type Any = any;

/** Each is built on a query of the orders and sent. */
const QUERIES: Record<string, (query: Any) => Any> = {
  everything: (query) => query,
  whereEquals: (query) => query.whereEquals("name", "a"),
  "whereEquals null": (query) => query.whereEquals("name", null),
  "whereEquals empty": (query) => query.whereEquals("name", ""),
  "whereEquals false": (query) => query.whereEquals("paid", false),
  "whereEquals zero": (query) => query.whereEquals("total", 0),
  "whereEquals a fraction": (query) => query.whereEquals("total", 1.5),
  "whereEquals a date": (query) => query.whereEquals("at", new Date(0)),
  "whereEquals an object": (query) => query.whereEquals("address", { city: "x" }),
  "whereEquals exact": (query) => query.whereEquals("name", "A", true),
  "whereEquals in an object": (query) => query.whereEquals({ fieldName: "name", value: "a", exact: true }),
  "whereEquals id": (query) => query.whereEquals("id", "rql/1"),
  "whereEquals id()": (query) => query.whereEquals("id()", "rql/1"),
  "whereEquals nested": (query) => query.whereEquals("address.city", "x"),
  "whereEquals in a list": (query) => query.whereEquals("lines[].product", "p/1"),
  "whereEquals metadata": (query) => query.whereEquals("@metadata.@collection", "Orders"),
  whereNotEquals: (query) => query.whereNotEquals("name", "a"),
  "whereNotEquals null": (query) => query.whereNotEquals("name", null),
  whereIn: (query) => query.whereIn("name", ["a", "b"]),
  "whereIn exact": (query) => query.whereIn("name", ["a", "b"], true),
  "whereIn nested lists": (query) => query.whereIn("total", [1, [2, [3]]]),
  "whereIn nothing": (query) => query.whereIn("name", []),
  "whereIn dates": (query) => query.whereIn("at", [new Date(0), null]),
  whereBetween: (query) => query.whereBetween("total", 1, 2),
  "whereBetween open above": (query) => query.whereBetween("total", 1, null),
  "whereBetween open below": (query) => query.whereBetween("total", null, 2),
  "whereBetween exact": (query) => query.whereBetween("name", "a", "c", true),
  whereGreaterThan: (query) => query.whereGreaterThan("total", 1),
  "whereGreaterThan null": (query) => query.whereGreaterThan("total", null),
  whereGreaterThanOrEqual: (query) => query.whereGreaterThanOrEqual("total", 1),
  "whereGreaterThanOrEqual exact": (query) => query.whereGreaterThanOrEqual("name", "a", true),
  whereLessThan: (query) => query.whereLessThan("total", 7),
  "whereLessThan null": (query) => query.whereLessThan("total", null),
  whereLessThanOrEqual: (query) => query.whereLessThanOrEqual("total", 7),
  whereStartsWith: (query) => query.whereStartsWith("name", "a"),
  "whereStartsWith exact": (query) => query.whereStartsWith("name", "A", true),
  whereEndsWith: (query) => query.whereEndsWith("name", "a"),
  whereExists: (query) => query.whereExists("name"),
  whereRegex: (query) => query.whereRegex("name", "^a|b$"),
  whereLucene: (query) => query.whereLucene("name", "a*"),
  search: (query) => query.search("name", "a b"),
  "search all": (query) => query.search("name", "a b", "AND"),
  "search any": (query) => query.search("name", "a b", "OR"),
  "search, then another condition": (query) => query.search("name", "a").whereEquals("total", 5),
  "search, and another condition": (query) => query.search("name", "a").andAlso().whereEquals("total", 5),
  containsAny: (query) => query.containsAny("tags", ["x", "y"]),
  containsAll: (query) => query.containsAll("tags", ["x", "y"]),
  "containsAll nothing": (query) => query.containsAll("tags", []),
  "and is what joins": (query) => query.whereEquals("name", "a").whereEquals("total", 5),
  andAlso: (query) => query.whereEquals("name", "a").andAlso().whereEquals("total", 5),
  orElse: (query) => query.whereEquals("name", "a").orElse().whereEquals("total", 7.5),
  "operators before anything": (query) => query.andAlso().orElse().whereEquals("name", "a"),
  usingDefaultOperator: (query) =>
    query.usingDefaultOperator("OR").whereEquals("name", "a").whereEquals("name", "b"),
  "andAlso around what was before": (query) =>
    query.whereEquals("name", "a").orElse().whereEquals("name", "b").andAlso(true).whereEquals("total", 5),
  not: (query) => query.not().whereEquals("name", "a"),
  "not not": (query) => query.not().not().whereEquals("name", "a"),
  "negateNext of an inequality": (query) => query.negateNext().whereNotEquals("name", "a"),
  "not in": (query) => query.not().whereIn("name", ["a"]),
  "not between, behind another": (query) =>
    query.whereEquals("total", 5).andAlso().not().whereBetween("total", 6, 7),
  "not exists": (query) => query.not().whereExists("name"),
  "not search": (query) => query.not().search("name", "a"),
  "not a subclause": (query) =>
    query.not().openSubclause().whereEquals("name", "a").orElse().whereEquals("name", "b").closeSubclause(),
  "not, first in a subclause": (query) =>
    query.whereExists("name").openSubclause().not().whereStartsWith("name", "a").closeSubclause(),
  subclauses: (query) =>
    query
      .openSubclause()
      .whereEquals("name", "a")
      .orElse()
      .openSubclause()
      .whereEquals("name", "b")
      .andAlso()
      .whereEquals("total", 7.5)
      .closeSubclause()
      .closeSubclause()
      .andAlso()
      .whereExists("total"),
  boost: (query) => query.whereEquals("name", "a").boost(2).orElse().whereEquals("name", "b").boost(0.5),
  "boost of one": (query) => query.whereEquals("name", "a").boost(1),
  "boost of a subclause": (query) =>
    query
      .openSubclause()
      .whereEquals("name", "a")
      .orElse()
      .whereEquals("name", "b")
      .closeSubclause()
      .boost(3),
  fuzzy: (query) => query.whereEquals("name", "a").fuzzy(0.5),
  "fuzzy and boost": (query) => query.whereEquals("name", "a").boost(2).fuzzy(0.25),
  proximity: (query) => query.search("name", "a b").proximity(3),
  orderBy: (query) => query.orderBy("name"),
  "orderBy id": (query) => query.orderBy("id"),
  "orderBy as long": (query) => query.orderBy("total", "Long"),
  "orderBy as double": (query) => query.orderBy("total", "Double"),
  "orderBy alphaNumeric": (query) => query.orderBy("name", "AlphaNumeric"),
  orderByDescending: (query) => query.orderByDescending("name"),
  "orderByDescending as double": (query) => query.orderByDescending("total", "Double"),
  "orderBy two": (query) => query.orderBy("name").orderByDescending("total", "Double"),
  addOrder: (query) => query.addOrder("name", true).addOrder("total", false, "Long"),
  orderByScore: (query) => query.whereEquals("name", "a").orderByScore(),
  orderByScoreDescending: (query) => query.whereEquals("name", "a").orderByScoreDescending(),
  randomOrdering: (query) => query.randomOrdering(),
  "randomOrdering of a seed": (query) => query.randomOrdering("seed"),
  take: (query) => query.take(1),
  skip: (query) => query.orderBy("name").skip(1),
  "skip none": (query) => query.orderBy("name").skip(0),
  "skip and take": (query) => query.whereEquals("name", "b").skip(0).take(2),
  distinct: (query) => query.distinct(),
  include: (query) => query.include("customer"),
  "include two": (query) => query.include("customer").include("lines[].product"),
  "include by a builder": (query) => query.include((builder: Any) => builder.includeDocuments("customer")),
  "include by a builder, in any order": (query) =>
    query.include((builder: Any) =>
      builder
        .includeCompareExchangeValue("customer")
        .includeRevisions("vector")
        .includeCounter("likes")
        .includeDocuments("customer")
        .includeTimeSeries("heart", null, null)
        .includeCounter("views")
        .includeDocuments("other"),
    ),
  "include and timings": (query) => query.include("customer").timings(() => {}),
  timings: (query) => query.timings(() => {}),
  addParameter: (query) => query.addParameter("$mine", 1).whereEquals("name", "a"),
  "a keyword": (query) => query.whereEquals("order", 1).orderBy("group"),
  "a field with a blank": (query) => query.whereEquals("my field", 1),
  selectFields: (query) => query.selectFields(["name", "total"]),
  "selectFields of one": (query) => query.selectFields("name"),
  "selectFields of the id": (query) => query.selectFields(["id", "total"]),
  "selectFields distinct": (query) => query.selectFields(["name"]).distinct(),
  "selectFields with conditions": (query) =>
    query.whereEquals("name", "a").orderBy("total", "Long").selectFields(["total"]).take(3),
  groupBy: (query) => query.groupBy("name").selectKey().selectCount(),
  "groupBy, named": (query) => query.groupBy("name").selectKey("name", "who").selectCount("how_many"),
  "groupBy two": (query) =>
    query.groupBy("name", "customer").selectKey("name").selectKey("customer").selectCount(),
  "groupBy with sums": (query) =>
    query.groupBy("customer").selectKey("customer").selectSum({ fieldName: "total", projectedName: "sum" }),
  "groupBy with a GroupByField": (query) =>
    query.groupBy("customer").selectKey("customer").selectSum(new GroupByField("total", "sum")),
  "groupBy with a GroupByField without a name": (query) =>
    query.groupBy("customer").selectKey("customer").selectSum(new GroupByField("total")),
  "groupBy, ordered": (query) =>
    query.groupBy("customer").selectKey("customer").selectCount("n").orderByDescending("n", "Long"),
  "groupBy, filtered": (query) =>
    query.groupBy("customer").selectKey("customer").selectCount().whereEquals("customer", "customers/1"),
};

/** A document with the value "A" at each of the paths below. */
const NESTED = {
  adresse: { straße: "A", 2024: "A", order: "A", "a b": "A", "a/b": "A", "it's": "A", "💥": "A" },
  lines: [{ größe: "A", 2: "A" }],
  straßen: [{ größe: "A" }],
  größen: ["A"],
  "my lines": [{ x: "A", "a b": "A" }],
  order: { x: "A" },
  customer: { "the one": "c/1", straße: "c/1" },
};
/** Paths; what npm `ravendb` finds if it quotes the whole path, or nothing of it; the name in the index if the path has quotes. */
const PATHS: [path: string, ravendb?: unknown, name?: string][] = [
  ["adresse.straße"],
  ["adresse.2024"],
  ["adresse.order"],
  ["adresse.'a b'"],
  ["lines[].größe"],
  ["lines[].2"],
  ["straßen[].größe"],
  ["größen[]"],
  ["adresse.a b", [0, "'adresse.a b'"]],
  ["adresse.a/b", [0, "'adresse.a/b'"]],
  ["adresse.💥", [0, "'adresse.💥'"]],
  ["my lines[].x", [0, "'my lines[].x'"]],
  ["'my lines'[].a b", fails("InvalidQueryException"), "my lines[].a b"],
  ["adresse.it's", fails("InvalidQueryException")],
  ["order.x", fails("RavenException")],
];

export default area({
  "names of nested members": async ({ open, observe, better, server }) => {
    const session = open().openSession();
    for (const [at, [path, ravendb, name = path]] of PATHS.entries()) {
      // A collection for each path: RavenDB merges the indexes of one collection.
      await server.put(`n/${at}`, NESTED, `N${at}`);
      const found = await outcome(async () => {
        const query = session.query<Any>({ collection: `N${at}` }).waitForNonStaleResults();
        query.containsAny(path, ["A"]).whereEquals(path, "A").orderBy(path);
        const { results, indexName } = (await query.getQueryResult()) as Any;
        return [results.length, indexName.replace(/^.*By/, "")];
      });
      if (ravendb) better(path, found, { ravendb, edge: [1, name] });
      else observe(path, found);
    }
  },

  "names of nested members that are shown": async ({ open, observe, better, server }) => {
    await server.put("nested/1", NESTED, "Nested");
    await server.put("c/1", {}, "Customers");
    const store = open();
    const all = () => store.openSession().query<Any>({ collection: "Nested" }).waitForNonStaleResults();
    const grouped = async (path: string) => {
      const { key, count } = await all().groupBy(path).selectKey(path, "key").selectCount().single();
      return [key, count];
    };
    for (const path of ["adresse.straße", "adresse.2024", "lines[].größe"]) {
      const selected = await all().selectFields<Any>([path, "adresse.order"]).single();
      observe(`${path}, selected`, [selected[path], selected["adresse.order"]]);
      observe(`${path}, grouped`, await grouped(path));
    }
    for (const path of ["adresse.a b", "my lines[].x"]) {
      const selected = () => all().selectFields<Any>([path, "adresse.2024"]).all();
      better(`${path}, selected`, await outcome(selected), {
        ravendb: fails("RavenException"),
        edge: [{ [path]: path.includes("[]") ? ["A"] : "A", "adresse.2024": "A" }],
      });
      better(`${path}, grouped`, await outcome(() => grouped(path)), {
        ravendb: fails("RavenException"),
        edge: ["A", 1],
      });
    }
    const included = async (build: (query: Any) => Any) => {
      const session = store.openSession();
      await build(session.query<Any>({ collection: "Nested" }).waitForNonStaleResults()).all();
      return session.advanced.isLoaded("c/1");
    };
    for (const path of ["customer.straße", "customer.the one"]) {
      observe(`${path}, included`, await included((query) => query.include(path)));
      const odd = () => included((query) => query.include(path).whereExists("my lines[].x"));
      better(`${path}, included by a query of an odd name`, await outcome(odd), {
        ravendb: false,
        edge: true,
      });
    }
  },

  "text and parameters": async ({ open, observe, server }) => {
    await server.put("rql/1", { name: "a", total: 5, tags: ["x", "y"], customer: "customers/1" }, "Orders");
    await server.put("rql/2", { name: "b", total: 7.5, tags: ["y"], customer: "customers/1" }, "Orders");
    await server.put("customers/1", { name: "c" }, "Customers");
    const store = open();
    for (const [name, build] of Object.entries(QUERIES)) {
      const session = store.openSession();
      const query = build(session.query<Any>({ collection: "Orders" }).waitForNonStaleResults());
      let sent: Any;
      query.on("beforeQueryExecuted", ({ query: text, queryParameters }: Any) => {
        sent = { text, queryParameters };
      });
      const found = await failure(async () => (await query.all()).length);
      observe(name, [sent, found]);
    }
  },

  "names of the server": async ({ open, observe, server }) => {
    await server.put("names/1", { a: "x" }, "Names");
    const { Metadata, Indexing, Querying } = CONSTANTS.Documents;
    const texts = Object.entries(Metadata).filter(([, value]) => typeof value === "string");
    observe("of metadata", texts.sort());
    observe("of indexes and queries", [Indexing, Querying]);
    const query = open().openSession().query<Any>({ collection: "Names" }).waitForNonStaleResults();
    const [found] = await query.search("a", "x").all();
    observe("the score of a result", typeof found[Metadata.KEY][Metadata.INDEX_SCORE]);
  },
});
