// Recorded calls of a query as RQL: no server is needed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alias, Names, path } from "../../pkg/dist/rql/names-and-parameters.js";
import { check, render } from "../../pkg/dist/rql/render.js";
import { random } from "../support/random.mjs";

/** Text and parameters of a query of the orders. */
function orders(...calls) {
  const { Query, QueryParameters } = JSON.parse(render([["collection", "Orders"], ...calls]));
  assert.ok(Query.startsWith("from 'Orders'"));
  return [Query.slice("from 'Orders'".length), QueryParameters];
}

const CONDITIONS = [
  [[], "", {}],
  [[["whereEquals", "name", "a"]], " where name = $p0", { p0: "a" }],
  [[["whereEquals", "id", "orders/1-A"]], " where id() = $p0", { p0: "orders/1-A" }],
  [[["whereEquals", "a", 1, true]], " where exact(a = $p0)", { p0: 1 }],
  [[["whereEquals", "a", undefined]], " where a = $p0", { p0: null }],
  [
    [
      ["whereNotEquals", "a", null],
      ["whereIn", "b", [1, "x"]],
    ],
    " where a != $p0 and b in ($p1)",
    { p0: null, p1: [1, "x"] },
  ],
  [
    [["whereBetween", "a", 1, null], ["orElse"], ["whereBetween", "a", null, 2, true]],
    " where a between $p0 and $p1 or exact(a between $p2 and $p3)",
    { p0: 1, p1: "NULL", p2: "*", p3: 2 },
  ],
  [
    [
      ["whereGreaterThan", "a", null],
      ["whereLessThanOrEqual", "a", null],
    ],
    " where a > $p0 and a <= $p1",
    { p0: "*", p1: "NULL" },
  ],
  [[["not"], ["whereEquals", "a", 1]], " where a != $p0", { p0: 1 }],
  [[["not"], ["not"], ["whereEquals", "a", 1]], " where a = $p0", { p0: 1 }],
  [[["negateNext"], ["whereNotEquals", "a", 1], ["fuzzy", 1]], " where fuzzy(a = $p0, 1)", { p0: 1 }],
  [[["not"], ["whereStartsWith", "a", "x"]], " where exists(a) and not startsWith(a, $p0)", { p0: "x" }],
  [[["not"], ["whereExists", "a"]], " where true and not exists(a)", {}],
  [
    [["whereExists", "b"], ["not"], ["openSubclause"], ["whereRegex", "a", "x"], ["closeSubclause"]],
    " where exists(b) and not (regex(a, $p0))",
    { p0: "x" },
  ],
  [
    [["not"], ["openSubclause"], ["whereEndsWith", "a", "x"], ["closeSubclause"]],
    " where true and not (endsWith(a, $p0))",
    { p0: "x" },
  ],
  [
    [
      ["search", "a", "x y", "AND"],
      ["proximity", 3],
      ["search", "b", "z"],
    ],
    " where proximity(search(a, $p0, and), 3) or search(b, $p1)",
    { p0: "x y", p1: "z" },
  ],
  [
    [
      ["openSubclause"],
      ["openSubclause"],
      ["whereEquals", "a", 1],
      ["closeSubclause"],
      ["closeSubclause"],
      ["boost", 2.5],
    ],
    " where boost((a = $p0), $p1)",
    { p0: 1, p1: 2.5 },
  ],
  [
    [
      ["openSubclause"],
      ["whereEquals", "a", 1],
      ["closeSubclause"],
      ["openSubclause"],
      ["whereEquals", "a", 2],
      ["closeSubclause"],
      ["boost", 3],
    ],
    " where (a = $p0) and boost(a = $p1, $p2)",
    { p0: 1, p1: 2, p2: 3 },
  ],
  [
    [
      ["whereEquals", "a", 1],
      ["fuzzy", 0.5],
      ["boost", 2],
    ],
    " where boost(fuzzy(a = $p0, 0.5), 2)",
    { p0: 1 },
  ],
  [
    [
      ["usingDefaultOperator", "OR"],
      ["containsAny", "a", [1]],
      ["containsAll", "a", []],
      ["containsAll", "a", [2]],
    ],
    " where a in ($p0) or true or a all in ($p1)",
    { p0: [1], p1: [2] },
  ],
  [
    [
      ["whereEquals", "a", 1],
      ["orElse"],
      ["whereEquals", "b", 2],
      ["andAlso", true],
      ["whereLucene", "c", "x*"],
    ],
    " where (a = $p0 or b = $p1) and lucene(c, $p2)",
    { p0: 1, p1: 2, p2: "x*" },
  ],
  [[["andAlso"], ["orElse"], ["whereEquals", "a", 1], ["boost", 1]], " where a = $p0", { p0: 1 }],
  [
    [["whereEquals", "a", 1], ["intersect"], ["whereEquals", "b", 2]],
    " where intersect(a = $p0, b = $p1) ",
    { p0: 1, p1: 2 },
  ],
  [
    [
      ["addParameter", "$p1", "mine"],
      ["whereEquals", "a", 1],
      ["whereEquals", "b", 2],
    ],
    " where a = $p2 and b = $p3",
    { p1: "mine", p2: 1, p3: 2 },
  ],
];

test("conditions become RQL as RavenDB's own clients write it", () => {
  for (const [calls, text, parameters] of CONDITIONS)
    assert.deepEqual(orders(...calls), [text, parameters], JSON.stringify(calls));
});

const NESTED = ["@metadata.@nested-object-types", "__PROJECTED_NESTED_OBJECT_TYPES__"];

const OTHERS = [
  [
    [
      ["orderBy", "a"],
      ["orderByDescending", "b", "Long"],
      ["orderBy", "c", "Double", "Last"],
      ["orderByScore"],
      ["orderByScoreDescending"],
    ],
    " order by a, b as long desc, c as double nulls last, score(), score() desc",
  ],
  [
    [
      ["orderByDescending", "a", "AlphaNumeric", "First"],
      ["orderBy", "a", null, null, "my'sorter"],
    ],
    String.raw` order by a as alphaNumeric desc nulls first, custom(a, 'my\'sorter')`,
  ],
  [[["orderBy", "a", "constructor", "toString"]], " order by a"],
  [[["randomOrdering"], ["randomOrdering", "it's"]], String.raw` order by random(), random('it\'s')`],
  [
    [
      ["skip", 2],
      ["take", 5],
    ],
    " limit $p0, $p1",
    { p0: 2, p1: 5 },
  ],
  [[["skip", 0]], ""],
  [
    [
      ["skip", 0],
      ["take", 0],
    ],
    " limit $p0, $p1",
    { p0: 0, p1: 0 },
  ],
  [[["skip", 2]], " limit $p0, $p1", { p0: 2, p1: null }],
  [[["take", 5]], " limit $p0, $p1", { p0: null, p1: 5 }],
  [
    [["include", "customer"], ["include", "customer"], ["include", "lines[].product"], ["timings"]],
    " include customer,'lines[].product',timings()",
  ],
  [[["timings"]], " include timings()"],
  [
    [
      ["groupBy", "customer"],
      ["groupByArray", "tags"],
      ["whereEquals", "id", 1],
      ["selectKey"],
      ["selectKey", "customer", "who"],
      ["selectSum", "total", "sum"],
      ["selectCount", null, "count"],
    ],
    " group by customer, Array(tags) where id = $p0 select key(), customer as 'who', sum(total) as sum, count() as count",
    { p0: 1 },
  ],
  [
    [["distinct"], ["selectFields", "id", "id", "b", "c", ...NESTED]],
    " select distinct id() as id, b as c, @metadata.@nested-object-types as __PROJECTED_NESTED_OBJECT_TYPES__",
  ],
  [
    [
      ["whereEquals", "a.b", 1],
      ["orderBy", "id"],
      ["selectFields", "my field", "my field", "a", "a", "'x'", "'x'", ...NESTED],
      ["include", "c"],
    ],
    String.raw` as doc where doc.a.b = $p0 order by id() select doc.'my field' as 'my field', doc.a as a, doc.'x' as '\'x\'', doc.@metadata.@nested-object-types as __PROJECTED_NESTED_OBJECT_TYPES__ include 'doc.c'`,
    { p0: 1 },
  ],
  [[["distinct"]], " select distinct *"],
  [
    [
      ["whereEquals", "my lines[].a/b", 1],
      ["orderBy", "größe"],
      ["include", "c"],
    ],
    " as doc where doc.'my lines'[].'a/b' = $p0 order by doc.größe include 'doc.c'",
    { p0: 1 },
  ],
  [
    [
      ["groupBy", "my field"],
      ["selectKey", "my field", "field"],
      ["selectSum", "tags.2024", "sum"],
    ],
    " as doc group by doc.'my field' select doc.'my field' as 'field', sum(doc.tags.'2024') as sum",
  ],
  [
    [["selectFields", "a", "my name", "tags.2024", "tags.2024"]],
    " select a as 'my name', tags.'2024' as 'tags.2024'",
  ],
];

test("ordering, paging, includes, groups and projections become RQL", () => {
  for (const [calls, text, parameters = {}] of OTHERS)
    assert.deepEqual(orders(...calls), [text, parameters], JSON.stringify(calls));
});

test("options stand beside the text, and parameters keep their order", () => {
  assert.equal(
    render([
      ["index", "Orders/By'Name"],
      ["waitForNonStaleResults", 500],
      ["waitForNonStaleResults", 300],
      ["noCaching"],
    ]),
    String.raw`{"Query":"from index 'Orders/By\\'Name'","WaitForNonStaleResults":true,"WaitForNonStaleResultsTimeout":500,"DisableCaching":true,"QueryParameters":{}}`,
  );
  assert.equal(
    render([
      ["raw", "from Orders where a = $a"],
      ["addParameter", "a", { b: [1] }],
      ["addParameter", "1", 2],
      ["skip", 1],
    ]),
    '{"Query":"from Orders where a = $a limit $p2, $p3","QueryParameters":{"a":{"b":[1]},"1":2,"p2":1,"p3":null}}',
  );
});

test("a function of the app stands as it is", () => {
  const body = render([
    ["collection", "Orders", "o"],
    ["whereEquals", "a", 1],
    ["selectFields", "{ 'x': o.a }", null],
  ]);
  assert.match(body, /from 'Orders' as o where a = \$p0 select { 'x': o\.a }"/);
  const nested = render([
    ["collection", "Orders", "o"],
    ["whereEquals", "a.b", 1],
    ["orderBy", "c"],
    ["selectFields", "{ 'x': o.a }", null],
  ]);
  assert.match(nested, /from 'Orders' as o where o\.a\.b = \$p0 order by o\.c select { 'x': o\.a }"/);
});

test("a query that goes on is checked without its end", () => {
  check([["collection", "x"], ["openSubclause"]]);
  assert.throws(() =>
    check([
      ["collection", "x"],
      ["boost", 2],
    ]),
  );
});

test("what cannot be meant is refused", () => {
  const order = ["collection", "Orders"];
  const equal = ["whereEquals", "a", 1];
  for (const [code, ...calls] of [
    ["InvalidOperation"],
    ["InvalidArgument", order, ["whereEquals", "", 1]],
    ["InvalidArgument", order, ["whereEquals", 3, 1]],
    ["InvalidArgument", order, ["whereEquals", "\ud800", 1]],
    ["InvalidArgument", order, ["nonsense"]],
    ["InvalidOperation", order, ["openSubclause"]],
    ["InvalidOperation", order, ["closeSubclause"]],
    ["InvalidOperation", order, equal, ["andAlso"], ["orElse"]],
    ["InvalidOperation", order, ["boost", 2]],
    ["InvalidArgument", order, equal, ["boost", -1]],
    ["InvalidArgument", order, equal, ["boost", "2"]],
    ["InvalidArgument", order, equal, ["fuzzy", 1.5]],
    ["InvalidOperation", order, ["whereExists", "a"], ["fuzzy", 0.5]],
    ["InvalidOperation", order, equal, ["proximity", 1]],
    ["InvalidArgument", order, ["take", -1]],
    ["InvalidArgument", order, ["take", 1.5]],
    ["InvalidArgument", order, ["take", 2 ** 64]],
    ["InvalidOperation", order, ["distinct"], ["distinct"]],
    ["InvalidOperation", order, equal, ["usingDefaultOperator", "OR"]],
    ["InvalidOperation", order, ["addParameter", "a", 1], ["addParameter", "$a", 1]],
    ["InvalidOperation", order, ["selectSum", "", "x"]],
    ["InvalidOperation", ["index", "x"], ["groupBy", "a"]],
    ["InvalidOperation", ["raw", "x"], equal],
    ["InvalidOperation", order, ["intersect"]],
  ])
    assert.throws(() => render(calls), { code }, JSON.stringify(calls));
});

test("each name of a path is quoted that RQL would read otherwise", () => {
  const named = Object.assign(new Names(), { document: "doc" });
  for (const [field, shown] of [
    ["name", "name"],
    ["größe", "größe"],
    ["lines[].product", "lines[].product"],
    ["@metadata.@collection", "@metadata.@collection"],
    ["adresse.straße", "adresse.straße"],
    ["lines[0].größe", "lines[0].größe"],
    ["ſelect", "ſelect"],
    ["orders.name", "orders.name"],
    ["my field", "'my field'"],
    ["Order", "'Order'"],
    ["1a", "'1a'"],
    ["💥", "'💥'"],
    ["𝒜", "'𝒜'"],
    ["e\u0301", "'e\u0301'"],
    ["it's", String.raw`'it\'s'`],
    ["a\\", String.raw`'a\\'`],
    ["a[", "'a['"],
    ["a@b", "'a@b'"],
    ["@", "'@'"],
    ["a\n", "'a\n'"],
    ["count()", "'count()'"],
    ["tags.2024", "tags.'2024'"],
    ["lines[].2.𝒜", "lines[].'2'.'𝒜'"],
    ["a.b/c[].order", "a.'b/c'[].'order'"],
    ["a.it's", String.raw`a.'it\'s'`],
    ["order.name", "'order'.name"],
    ["order[]", "'order'[]"],
    ["my lines[].product", "'my lines'[].product"],
    // Quotes of the app.
    ["'my field'", "'my field'"],
    ["'my field'.name", "'my field'.name"],
    ["'my.lines'[].a b", "'my.lines'[].'a b'"],
    ["'a''b'", String.raw`'\'a\'\'b\''`],
    ["'a", String.raw`'\'a'`],
    [String.raw`'a\'`, String.raw`'\'a\\\''`],
    ["a'b'", String.raw`'a\'b\''`],
    ["''", String.raw`'\'\''`],
    // No path: one of its names would be empty.
    ["a..b", "'a..b'"],
    ["a.", "'a.'"],
    [".a b", "'.a b'"],
    ["[].a", "'[].a'"],
  ])
    assert.equal(named.path(field), `doc.${shown}`);
  // Where documents have no name, RavenDB reads all of it as one name, with quotes anywhere.
  assert.equal(path("my lines[].product"), "'my lines[].product'");
  assert.equal(path("lines[].my product"), "lines[].'my product'");
  for (const id of ["id", "id()"]) assert.equal(new Names().name(id), "id()");
});

test("the name of a result is quoted as a whole", () => {
  for (const [name, shown] of [
    ["größe", "größe"],
    ["lines[].product", "lines[].product"],
    ["tags.2024", "'tags.2024'"],
    ["order.name", "'order.name'"],
  ])
    assert.equal(alias(name), shown);
});

/** A path: names, in quotes or without, and their items. */
const NAME = String.raw`(?:'(?:[^'\\]|\\.)*'|[\p{L}\p{N}_@$-]+)(?:\[\d*\])*`;
const PATH = new RegExp(`${NAME}(?:\\.${NAME})*`, "suy");

/** What RQL sees: each path with quotes as one sign, everything else as it is. */
function shape(text) {
  const signs = [];
  for (let at = 0; at < text.length; ) {
    PATH.lastIndex = at;
    const sign = PATH.exec(text)?.[0] ?? text[at];
    assert.ok(sign !== "'" && sign !== '"', "quotes are closed");
    if (sign !== " ") signs.push(sign.includes("'") ? "quoted" : sign);
    at += sign.length;
  }
  return signs;
}

const HOSTILE =
  "'|\"|\\|''|\\'|)|(|,|$p0|--|//|/*|;| or true | and |=|where|select|a|Z|.|..|[|]|@|\n|\u0000|é|💥| |{|}|id()|limit 0".split(
    "|",
  );

test("nothing that an app gives changes the structure of a query", () => {
  const { below, pick, some } = random(17);
  for (let round = 0; round < 4_000; round++) {
    const hostile = some(1 + below(8), () => pick(HOSTILE)).join("");
    // RQL's word for the id is no name.
    if (hostile === "id()") continue;
    const text = (name) => {
      const { Query, QueryParameters } = JSON.parse(
        render([
          ["collection", name],
          ["groupBy", name],
          ["whereEquals", name, hostile],
          ["search", name, hostile],
          ["orderBy", name, null, null, name],
          ["include", name],
          ["selectKey", name, "shown so"],
          ["selectKey", "key", name],
          ["selectSum", name, name],
          ["selectFields", name, name],
          ["addParameter", "x", hostile],
        ]),
      );
      assert.equal(QueryParameters.p0, hostile);
      return shape(Query);
    };
    // A path is one sign, quoted or as it is; nothing is added and nothing is lost.
    const written = path(hostile);
    const harmless = written.startsWith("'") ? "my field" : written.includes("'") ? "the.my field" : "plain";
    const wanted = text(harmless);
    const alike = text(hostile).map((sign, at) =>
      wanted[at] === "plain" && [hostile, "quoted"].includes(sign) ? "plain" : sign,
    );
    assert.deepEqual(alike, wanted, JSON.stringify(hostile));
  }
});
