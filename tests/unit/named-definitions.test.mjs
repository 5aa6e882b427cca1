// `store.named`: declarations that make no sense are refused at once, and claims have values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { collectionIn } from "../../pkg/dist/named/named-definitions.js";
import { failure, open } from "../support/store.mjs";

/** A store that reaches no server. */
const unconnected = (t, prepare, options) =>
  open(t, "http://127.0.0.1:9", "Shop", {
    prepare,
    fetch: () => Promise.reject(new Error("nothing is sent")),
    ...options,
  });

test("a declaration that makes no sense is refused, with the place of the error", (t) => {
  const from = { type: "number" };
  const patch = { collection: "Orders", script: "this.total += $by" };
  for (const [names, message] of [
    [{ query: {} }, /no member of named\(\) "query": did you mean "queries"\?/],
    [{ queries: { all: { qery: "from X" } } }, /no member of queries\.all: "qery": did you mean "query"\?/],
    [{ queries: { all: {} } }, /queries\.all\.query: the text is missing/],
    [
      { queries: { all: { query: "from X where a = $from" } } },
      /queries\.all\.query: \$from is neither a parameter nor a claim/,
    ],
    [
      { claims: ["from"], queries: { all: { query: "from X where a = $from", parameters: { from } } } },
      /queries\.all\.query: \$from is both a parameter and a claim/,
    ],
    [
      { queries: { all: { query: "from X where a = '$from'", parameters: { from } } } },
      /parameters\.from: the query does not use it/,
    ],
    [
      { queries: { all: { query: "from X where a = $from", parameters: { from: { type: "text" } } } } },
      /no type of queries\.all\.parameters\.from: "text", but string, number/,
    ],
    [
      {
        queries: {
          all: { query: "from X where a = $from", parameters: { from: { ...from, default: "1" } } },
        },
      },
      /queries\.all\.parameters\.from\.default must be a number/,
    ],
    [{ patches: { raise: patch } }, /patches\.raise\.script: \$by is neither a parameter nor a claim/],
    [{ patches: { raise: { ...patch, text: "" } } }, /no member of patches\.raise: "text"/],
    [
      { patches: { raise: { ...patch, script: "this.a = args.by + this.$x", parameters: {} } } },
      /patches\.raise\.script: \$by is neither/,
    ],
  ])
    assert.throws(
      () => unconnected(t, (store) => store.named(names)),
      (error) => error.code === "InvalidArgument" && message.test(error.message),
      JSON.stringify(names),
    );
});

test("a text in quotes has no names, and a script's own `$` is none", (t) => {
  unconnected(t, (store) =>
    store.named({
      queries: { all: { query: `from X where a = '$x' and b = "it's \\"$y\\""` } },
      patches: { close: { collection: "X", script: "const $ = 1; this.a$b = $" } },
    }),
  );
});

test("a claim without a value is refused, and nothing is sent", async (t) => {
  const names = { claims: ["name"], queries: { mine: { query: "from X where owner = $name" } } };
  for (const claims of [undefined, {}, () => ({ nam: "ann" })]) {
    const store = unconnected(t, (store) => store.named(names, claims));
    const error = await failure(store.openSession().query({ named: "mine" }).all());
    assert.equal(error.code, "InvalidOperation");
    assert.match(error.message, /the query mine uses the claim name/);
  }
});

test("claims can depend on the session, and hold for sessions of other databases, too", async (t) => {
  const sent = [];
  const names = {
    claims: ["name"],
    queries: { mine: { query: "from X where owner = $name" } },
    patches: { take: { collection: "X", script: "this.owner = $name" } },
  };
  const store = unconnected(
    t,
    (store) => store.named(names, (session) => ({ name: session.advanced.externalState.get("user") })),
    {
      fetch: async (url, { body }) => {
        sent.push([new URL(url).pathname, JSON.parse(body)]);
        throw new Error("not connected");
      },
    },
  );
  for (const [database, user] of [
    ["Shop", "ann"],
    ["Archive", "bob"],
  ]) {
    const session = store.openSession(database);
    session.advanced.externalState.set("user", user);
    await failure(session.query({ named: "mine" }).all());
    const [path, body] = sent.at(-1);
    assert.equal(path, `/databases/${database}/queries`);
    assert.deepEqual(body, {
      Query: "from X where owner = $name",
      QueryParameters: { name: user },
      Start: 0,
    });
  }
});

test("without a gateway a named query has a text, and otherwise the gateway has it", async (t) => {
  const own = unconnected(t, (store) => store.named({ queries: { all: { query: "from X", wait: 2_000 } } }));
  const text = await own.openSession().query({ named: "all" }).skip(1).take(2).noCaching().indexQuery();
  assert.deepEqual(JSON.parse(text), {
    Query: "from X",
    WaitForNonStaleResults: true,
    WaitForNonStaleResultsTimeout: 2_000,
    DisableCaching: true,
    QueryParameters: {},
    Start: 1,
    PageSize: 2,
  });
  const other = unconnected(t).openSession();
  const error = await failure(other.query({ named: "all" }).indexQuery());
  assert.equal(error.code, "InvalidOperation");
  assert.match(error.message, /only the gateway knows the text of the query all/);
});

test("a named patch and a query need a name and parameters that can be meant", async (t) => {
  const session = unconnected(t).openSession();
  for (const call of [
    { named: "" },
    { named: 5 },
    { named: "x", parameters: [] },
    { named: "x", parameters: 5 },
    {},
  ])
    assert.throws(
      () => session.advanced.patch("orders/1-A", call),
      { code: "InvalidArgument" },
      JSON.stringify(call),
    );
  for (const call of [
    { named: "" },
    { named: null },
    { named: "x", parameters: [] },
    { named: "x", next: 5 },
    { named: "x", page: 5 },
  ])
    assert.equal((await failure(session.query(call).all())).code, "InvalidArgument", JSON.stringify(call));
  assert.throws(() => session.advanced.patch(null, { named: "x" }), { code: "InvalidOperation" });
  assert.equal(session.advanced.hasChanges(), false);
});

test("the collection behind `from` is read as RavenDB reads it, or not at all", () => {
  for (const [query, collection] of [
    // RavenDB 7.2 says in `IndexName` of a response which collection it has read: `collection/It's`.
    ["from Orders", "Orders"],
    [" \n\tFROM\r\n orders where a = 1", "orders"],
    ["from Orders as o where o.n = 0", "Orders"],
    ["from Orders o", "Orders"],
    ["from Orders(n = 0)", "Orders"],
    ["from Orders-x", "Orders-x"],
    ["from Orders.Lines", "Orders.Lines"],
    ["from Größe", "Größe"],
    ["from'Orders'", "Orders"],
    ["from 'Order Lines' as l", "Order Lines"],
    ['from "Order Lines" l', "Order Lines"],
    [String.raw`from 'It\'s'`, "It's"],
    ["from 'It''s'", "It's"],
    [`from "It's"`, "It's"],
    [String.raw`from "It\'s"`, "It's"],
    [String.raw`from "Say \"x\""`, 'Say "x"'],
    ['from "Say ""x"""', 'Say "x"'],
    [`from 'Say "x"'`, 'Say "x"'],
    [`from 'Say ""x'`, 'Say ""x'],
    [String.raw`from 'a\\b'`, String.raw`a\b`],
    [String.raw`from 'a\\''b'`, String.raw`a\'b`],
    ["from 'index'", "index"],
    ["// from 'Lines'\r\nfrom Orders", "Orders"],
    ["/* from Lines */ /* * / */from/**/Orders// c", "Orders"],
    ["from // c\nOrders /* c */ where a = 1", "Orders"],
    // No collection.
    ["from Orders .Lines", undefined],
    ["from 'Orders' /* c */ .Lines", undefined],
    ["from Orders [0]", undefined],
    ["from index 'Orders/ByTotal'", undefined],
    ["FROM INDEX 'Orders/ByTotal' as o", undefined],
    ["from @all_docs", undefined],
    ["from '@all_docs'", undefined],
    ["from ''", undefined],
    // RavenDB reads other collections, or nothing.
    ["from 'Orders'.x", undefined],
    [String.raw`from 'a\nb'`, undefined],
    ["from 'Orders", undefined],
    ["from 'It's'", undefined],
    ["from Or$ders", undefined],
    ["from $collection", undefined],
    ["from 1st", undefined],
    ["fromOrders", undefined],
    ["-- c\nfrom Orders", undefined],
    ["/* from 'a'.b */ from 'a'.b /* c */ from Orders", undefined],
    ["declare function f(o) { return o; }\nfrom Orders as o select f(o)", undefined],
  ])
    assert.equal(collectionIn(query), collection, query);
});
