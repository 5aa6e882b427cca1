// Malformed responses: they never yield an id and never hang a caller; the error says what is wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isLease, isReturn, proxy } from "../support/proxy.mjs";
import { GRANT, leased, scriptedServer } from "../support/scripted-server.mjs";
import { counter, database, onServers } from "../support/server.mjs";
import { DocumentStore, events, failure, open, within } from "../support/store.mjs";

const wrong = (fields) => leased({ ...GRANT, ...fields });
const without = (field) => {
  const { [field]: _, ...rest } = GRANT;
  return leased(rest);
};
const good = leased(GRANT);

const malformedLeases = {
  "Low 0": wrong({ Low: 0, LastSize: 33 }),
  "negative Low": wrong({ Low: -499, High: -468 }),
  "High below Low": wrong({ Low: 33, High: 32, LastSize: 0 }),
  "LastSize that is not High - Low + 1": wrong({ LastSize: 33 }),
  "numbers as text": wrong({ Low: "1" }),
  fractions: wrong({ Low: 1.5 }),
  "numbers beyond 64 bits": good.replace('"High":32', '"High":99999999999999999999999999'),
  exponents: good.replace('"Low":1,', '"Low":1e0,'),
  "another prefix": wrong({ Prefix: "users/" }),
  "a prefix without separator": wrong({ Prefix: "orders" }),
  "an empty prefix": wrong({ Prefix: "" }),
  "a prefix in other letter case": wrong({ Prefix: "ORDERS/" }),
  "no node tag": wrong({ ServerTag: "" }),
  "a node tag that would break ids": wrong({ ServerTag: "A/../x" }),
  "a node tag of null": wrong({ ServerTag: null }),
  "a grant of null": leased(null, { max: 32 }),
  "a grant that is a list": leased([], { max: 32 }),
  "no results": '{"Results":[]}',
  "results of null": '{"Results":null}',
  "results that are no list": '{"Results":{"0":1}}',
  "another object": "{}",
  null: "null",
  "a number": "7",
  text: '"orders"',
  "an HTML page": "<!doctype html><title>It works</title>",
  "nothing at all": "",
  blanks: " \n ",
  "a byte order mark and nothing": "\ufeff",
  "truncated JSON": good.slice(0, good.length / 2),
  "JSON without its last bracket of the list": good.slice(0, -2),
  "an unfinished escape": `${good.slice(0, 40)}\\`,
  "deep nesting": `{"Results":${"[".repeat(200_000)}`,
  "a sub-status that is no number": good.replace("201", '"201"'),
  "a sub-status of 200": leased(GRANT, { status: 200 }),
  ...Object.fromEntries(Object.keys(GRANT).map((field) => [`no ${field}`, without(field)])),
};

for (const [what, body] of Object.entries(malformedLeases)) {
  test(`a malformed lease is an error and yields no id: ${what}`, { timeout: 20_000 }, async (t) => {
    const server = await scriptedServer(t, () => ({ body }));
    const store = open(t, server.url, "db", { timeout: 5_000 });
    const ids = store.hilo("orders");
    const error = await within(4_000, failure(ids.next()), "the refusal");
    assert.ok(["BadAnswer", "Server"].includes(error.code), `${error.code}: ${error.message}`);
    if (what !== "a sub-status of 200") assert.equal(error.code, "BadAnswer", error.message);
    assert.ok(error.message.length > 10);
    assert.match(error.request, /^POST \/databases\/db\/multi_get$/);
    assert.equal(ids.take(), undefined);
    assert.equal(ids.status().atHand, 0);
    assert.equal(server.requests.filter(isLease).length >= 1, true);
    await store.dispose();
    assert.deepEqual(server.requests.filter(isReturn), [], "no number of a malformed lease is returned");
  });
}

const MAX = Number.MAX_SAFE_INTEGER;

for (const [low, high] of [
  ["9007199254740961", "9007199254740992"],
  ["9007199254740992", "9007199254741023"],
  ["9223372036854775776", "9223372036854775807"],
]) {
  test(`a range above 2^53 - 1 is refused: ${low}`, { timeout: 20_000 }, async (t) => {
    const body = leased({ ...GRANT, Low: "LOW", High: "HIGH" })
      .replace('"LOW"', low)
      .replaceAll('"HIGH"', high);
    const server = await scriptedServer(t, () => ({ body }));
    const store = open(t, server.url, "db", { timeout: 5_000 });
    const error = await within(4_000, failure(store.hilo("orders").next()));
    assert.equal(error.code, "Exhausted");
    assert.equal(store.hilo("orders").take(), undefined);
  });
}

test("2^53 - 1 is issued once", { timeout: 20_000 }, async (t) => {
  const server = await scriptedServer(t, () => ({
    body: leased({ ...GRANT, Low: MAX - 31, High: MAX }),
  }));
  const store = open(t, server.url, "db", { timeout: 2_000 });
  const ids = store.hilo("orders");
  const issued = [];
  for (let i = 0; i < 32; i++) issued.push(await ids.next());
  assert.equal(issued.at(-1), "orders/9007199254740991-A");
  assert.equal(new Set(issued).size, 32);
  assert.equal(ids.take(), undefined);
  const error = await within(4_000, failure(ids.next()));
  assert.ok(["BadAnswer", "Exhausted"].includes(error.code), error.message);
});

test("a server that keeps granting the same range causes one error and no duplicate id", {
  timeout: 20_000,
}, async (t) => {
  const server = await scriptedServer(t, () => ({ body: good }));
  const store = open(t, server.url, "db", { timeout: 5_000 });
  const regressions = events(store, "regression");
  const ids = store.hilo("orders");
  const issued = new Set();
  for (let i = 0; i < 32; i++) issued.add(await ids.next());
  assert.equal(issued.size, 32);
  const error = await within(4_000, failure(ids.next()));
  assert.equal(error.code, "BadAnswer");
  const { tag, low, high, highest } = await regressions.next();
  assert.deepEqual({ tag, low, high, highest }, { tag: "orders", low: 1, high: 32, highest: 32 });
  assert.match(
    decodeURIComponent(server.requests.at(-1).body),
    /lastMax=32/,
    "the request names the highest issued number",
  );
  assert.ok(server.requests.length <= 3 + 2);
});

test("ranges that overlap held numbers are never used", { timeout: 20_000 }, async (t) => {
  const ranges = [
    [1, 32],
    [17, 48],
    [33, 64],
    [60, 91],
    [2, 33],
    [65, 96],
    [97, 128],
  ];
  let at = 0;
  const server = await scriptedServer(t, () => {
    const [Low, High] = ranges[Math.min(at++, ranges.length - 1)];
    return { body: leased({ ...GRANT, Low, High }) };
  });
  const store = open(t, server.url, "db", { timeout: 3_000 });
  const ids = store.hilo("orders");
  const issued = [];
  let refused = 0;
  while (issued.length < 128 && refused < 10) {
    try {
      issued.push(await ids.next());
    } catch (error) {
      assert.equal(error.code, "BadAnswer");
      refused++;
    }
  }
  assert.equal(new Set(issued).size, issued.length, "no id twice");
  assert.ok(issued.length >= 96, `${issued.length} ids, ${refused} refusals`);
});

test("if the second result of a lease is not its counter document, the lease has no fence and is not returned", {
  timeout: 30_000,
}, async (t) => {
  const secondResults = {
    "another Max": leased(GRANT, { max: 64 }),
    "no document": leased(GRANT, { second: { Result: null, StatusCode: 404 } }),
    "an error": leased(GRANT, { second: { Result: { Type: "x", Message: "y" }, StatusCode: 500 } }),
    nothing: leased(GRANT, { second: {} }),
    "no vector": leased(GRANT, { vector: null }),
    "an empty vector": leased(GRANT, { vector: "" }),
    "no time": leased(GRANT, { modified: null }),
    "an empty time": leased(GRANT, { modified: "" }),
    "Max as text": leased(GRANT, { max: "32" }),
  };
  for (const [what, body] of Object.entries(secondResults)) {
    const server = await scriptedServer(t, (request) =>
      isReturn(request) ? { status: 201, body: "{}" } : { body },
    );
    const store = open(t, server.url, "db", { timeout: 3_000 });
    const leases = events(store, "lease");
    assert.equal(await store.hilo("orders").next(), "orders/1-A", what);
    assert.equal((await leases.next()).fenced, false, what);
    await store.dispose();
    assert.deepEqual(server.requests.filter(isReturn), [], what);
  }
});

test("an error of the lease inside multi_get reaches the caller with type and status", {
  timeout: 20_000,
}, async (t) => {
  const refusal = {
    Url: "/x",
    Type: "Raven.Client.Exceptions.Database.DatabaseDoesNotExistException",
    Message: "Database 'db' does not exist.",
    Error: "…",
  };
  const server = await scriptedServer(t, () => ({ body: leased(refusal, { status: 500, max: 1 }) }));
  const store = open(t, server.url, "db", { timeout: 5_000 });
  const error = await within(4_000, failure(store.hilo("orders").next()));
  assert.equal(error.name, "DatabaseDoesNotExistException");
  assert.equal(error.type, refusal.Type);
  assert.equal(error.status, 500);
  assert.equal(error.message, refusal.Message);
  assert.equal(server.requests.length, 1, "a refused request is not retried");
});

test("an outage inside multi_get is retried with growing pauses until the timeout", {
  timeout: 20_000,
}, async (t) => {
  // The shortest pauses: no attempt is under way when the time is over.
  t.mock.method(Math, "random", () => 0);
  const server = await scriptedServer(t, () => ({
    body: leased({ Message: "overloaded" }, { status: 503, max: 1 }),
  }));
  const store = open(t, server.url, "db", { timeout: 3_000 });
  const error = await within(10_000, failure(store.hilo("orders").next()));
  assert.equal(error.code, "Timeout");
  assert.match(error.message, /overloaded/);
  assert.ok(server.requests.length < 30, `${server.requests.length} requests`);
});

test("an empty 403 is explained as a foreign origin that RavenDB refuses", { timeout: 20_000 }, async (t) => {
  const server = await scriptedServer(t, () => ({ status: 403 }));
  const store = open(t, server.url, "db", { timeout: 5_000 });
  const error = await within(4_000, failure(store.hilo("orders").next()));
  assert.equal(error.code, "ForeignOrigin");
  assert.match(error.message, /origin/);
  assert.equal(server.requests.length, 1);
});

test("responses that do not fit the batch are errors, and the documents stay unsaved", {
  timeout: 30_000,
}, async (t) => {
  const result = (id) => ({ Type: "PUT", "@id": id, "@change-vector": "A:2-x", "@collection": "Orders" });
  const responses = {
    HTML: { status: 201, body: "<html>" },
    empty: { status: 201, body: "" },
    "200 instead of 201": { status: 200, body: "{}" },
    "no results": { status: 201, body: '{"Results":[]}' },
    "too many": {
      status: 201,
      body: JSON.stringify({ Results: [result("orders/1-A"), result("orders/1-A")] }),
    },
    "another id": { status: 201, body: JSON.stringify({ Results: [result("orders/2-A")] }) },
    "an error": { status: 500, body: '{"Type":"System.IO.InvalidDataException","Message":"bad"}' },
  };
  for (const [what, response] of Object.entries(responses)) {
    const server = await scriptedServer(t, ({ path }) =>
      path.endsWith("bulk_docs") ? response : { body: good },
    );
    const store = open(t, server.url, "db", { timeout: 3_000 });
    const session = store.openSession();
    const entity = { "@metadata": { "@collection": "Orders" } };
    await session.store(entity);
    const error = await within(4_000, failure(session.saveChanges()), what);
    assert.ok(["OutcomeUnknown", "Server"].includes(error.code), `${what}: ${error.code}`);
    assert.equal(session.advanced.hasChanges(), true, what);
    assert.equal(session.advanced.getChangeVectorFor(entity), null, what);
  }
});

test("a load whose response is malformed is an error and returns no document", {
  timeout: 30_000,
}, async (t) => {
  const responses = {
    HTML: { status: 200, body: "<html>" },
    empty: { status: 200, body: "" },
    truncated: {
      status: 200,
      body: '{"Results":[{"a":1,"@metadata":{"@id":"orders/1-A","@change-vector":"A:1"}',
    },
    "404 with a page": { status: 404, body: "<html>no such page</html>" },
    "another object": { status: 200, body: "{}" },
  };
  for (const [what, response] of Object.entries(responses)) {
    const server = await scriptedServer(t, () => response);
    const store = open(t, server.url, "db", { timeout: 3_000 });
    const outcome = await within(4_000, failure(store.openSession().load("orders/1-A")), what).catch(
      (error) => ({ message: error.message }),
    );
    assert.ok(["BadAnswer", "Server"].includes(outcome.code), `${what}: ${outcome.message}`);
  }
});

for (const status of [404, 405, 501]) {
  onServers(
    `if multi_get responds ${status}, hilo/next leases without a fence; release() discards the numbers, dispose() reads a fence and returns them`,
    async (t, server) => {
      const name = await database(t, server);
      const wire = await proxy(t, server.url);
      wire.rule = ({ path }) => (path.endsWith("/multi_get") ? { status, body: "" } : undefined);
      const store = open(t, wire.url, name);
      const leases = events(store, "lease");
      assert.equal(await store.hilo("orders").next(), "orders/1-A");
      assert.equal((await leases.next()).fenced, false);
      const { query, method } = wire.requests.at(-1);
      assert.equal(method, "GET");
      assert.match(query.get("nonce"), /^\d+$/, "a GET that changes the server needs a nonce");
      await store.release();
      assert.deepEqual(wire.of(isReturn), []);
      assert.equal(await counter(server, name, "orders"), 32);
      assert.equal(await store.hilo("orders").next(), "orders/33-A");
      await store.dispose();
      assert.equal(
        wire.of(isReturn).length,
        1,
        "dispose() reads the fence while this lease is the latest one",
      );
      assert.equal(await counter(server, name, "orders"), 33);
    },
  );
}

/** The responses of a dev server that does not forward requests to RavenDB: its page to a GET, an empty 404 to others. */
const withoutProxy = async (_url, { method }) =>
  method === "GET"
    ? new Response("<!doctype html><title>app</title>", { headers: { "content-type": "text/html" } })
    : new Response(null, { status: 404 });

test("a page instead of RavenDB's response causes an error about forwarding", async () => {
  const store = new DocumentStore("http://127.0.0.1:1/raven", "Shop", { fetch: withoutProxy });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  const session = () => store.openSession();
  for (const attempt of [
    () => session().load("orders/1-A"),
    () => session().advanced.loadStartingWith("orders/"),
  ]) {
    const error = await failure(attempt());
    assert.equal(error.code, "BadAnswer");
    assert.match(error.message, /forwarded/);
    assert.match(error.request, /^GET \/databases\/Shop\/docs$/);
  }
  const queried = await failure(session().query({ collection: "Orders" }).all());
  assert.deepEqual([queried.code, queried.status, queried.type], ["Server", 404, undefined]);
  assert.match(queried.message, /check the address/);
  const leased = await failure(store.hilo("orders").next());
  assert.match(leased.message, /forwarded|check the address/);
  await store.dispose();
});
