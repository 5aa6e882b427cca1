// Options of the store: headers, fetch, timeout, certificate, addresses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import https from "node:https";
import { test } from "node:test";
import { inspect } from "node:util";
import { HiLoStore } from "../../pkg/lib/entries/hilo/node.js";
import { DocumentStore as InlineStore } from "../../pkg/lib/entries/inline.js";
import { DeleteDocumentCommand } from "../../pkg/lib/entries/node.js";
import { DocumentStore as SlimStore, useModule } from "../../pkg/lib/entries/slim.js";
import { after } from "../support/cleanup.mjs";
import { isReturn, proxy } from "../support/proxy.mjs";
import { GRANT, leased, scriptedServer } from "../support/scripted-server.mjs";
import { counter, database, document, missing, onServers, order, ravendb } from "../support/server.mjs";
import { DocumentStore, events, failure, open, within } from "../support/store.mjs";
import { certificates, guarded } from "../support/tls.mjs";

onServers("headers are computed for every request, including the return of dispose", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  let calls = 0;
  const store = open(t, wire.url, name, {
    topology: true,
    headers: () => ({ Authorization: `Bearer ${++calls}`, "X-App": "shop" }),
  });
  const topology = wire.next(({ path }) => path === "/topology", { responded: true });
  const session = store.openSession();
  await session.store(order());
  await session.saveChanges();
  await topology;
  await store.openSession().load(["orders/1-A", "orders/2-A"]);
  await store.dispose();
  assert.ok(wire.requests.some(isReturn));
  assert.deepEqual(
    wire.requests.map(({ headers }) => headers["x-app"]),
    wire.requests.map(() => "shop"),
  );
  const tokens = wire.requests.map(({ headers }) => headers.authorization);
  assert.equal(new Set(tokens).size, tokens.length);
  assert.ok(wire.requests.length >= 5);
});

test("headers may be pairs or a Headers object", { timeout: 20_000 }, async (t) => {
  for (const headers of [() => [["x-a", "1"]], () => new Headers({ "x-a": "1" }), () => ({ "x-a": "1" })]) {
    const server = await scriptedServer(t, () => ({ body: leased(GRANT) }));
    const store = open(t, server.url, "db", { headers });
    await store.hilo("orders").next();
    assert.equal(server.requests[0].headers["x-a"], "1");
  }
});

test("an error in the headers function rejects the call soon, and the store stays usable", {
  timeout: 30_000,
}, async (t) => {
  const server = await scriptedServer(t, () => ({ body: leased(GRANT) }));
  let broken = true;
  const store = open(t, server.url, "db", {
    timeout: 1_500,
    headers: () => {
      if (broken) throw new Error("no token yet");
      return {};
    },
  });
  const error = await within(5_000, failure(store.hilo("orders").next()));
  assert.deepEqual([error.code, error.cause.message], ["InvalidArgument", "no token yet"]);
  assert.match(error.message, /headers .*no token yet/);
  assert.equal(server.requests.length, 0);
  broken = false;
  assert.equal(await store.hilo("orders").next(), "orders/1-A");
  broken = true;
  const returned = events(store, "return");
  await store.dispose();
  assert.equal((await returned.next()).error.cause.message, "no token yet");
});

for (const [what, headers, name] of [
  ["a line break in its value", () => ({ Authorization: "Bearer secret\nX: y" }), "Authorization"],
  ["a value beyond Latin-1", () => [["X-User", "Łukasz, secret"]], "X-User"],
  ["a name that is none", () => ({ "X User": "secret" }), "X User"],
  ["a value that is no text", () => ({ "X-A": "1", "X-B": Symbol("secret") }), "X-B"],
])
  test(`a header with ${what} is an error that names the header, not its value, and nothing is tried again`, async (t) => {
    const store = open(t, "http://127.0.0.1:65535", "db", { headers });
    const failed = events(store, "failedRequest");
    const session = store.openSession();
    await session.store({}, "a/1");
    for (const call of [
      () => session.load("a/2"),
      () => session.query({ collection: "Orders" }).all(),
      () => session.saveChanges(),
      () => store.hilo("orders").next(),
    ]) {
      const error = await failure(call());
      assert.equal(error.code, "InvalidArgument");
      assert.ok(error.message.includes(`"${name}"`), error.message);
      assert.doesNotMatch(inspect(error), /secret|reached/);
      await failed.next();
    }
    assert.deepEqual(failed.seen, []);
  });

test("headers that Node's fetch never sends, and a version that is no header, are errors that name the header", async (t) => {
  const server = await scriptedServer(t, () => ({}));
  for (const name of ["Keep-Alive", "Transfer-Encoding", "Expect"]) {
    const store = open(t, server.url, "db", { headers: () => ({ [name]: "x" }) });
    const error = await failure(store.openSession().load("a/1"));
    assert.equal(error.code, "InvalidArgument");
    assert.match(error.message, new RegExp(`${name} header`, "i"));
  }
  const command = new DeleteDocumentCommand("a/1", "A:1\n");
  const error = await failure(open(t, server.url, "db").execute(command));
  assert.match(`${error.code} ${error.message}`, /InvalidArgument.*"If-Match"/);
  assert.equal(server.requests.length, 0);
});

test("a headers function that is asynchronous is an error: its headers would come too late", async (t) => {
  const store = open(t, "http://127.0.0.1:65535", "db", { headers: async () => ({ Authorization: "x" }) });
  const error = await failure(store.openSession().load("a/1"));
  assert.match(`${error.code} ${error.message}`, /InvalidArgument.*promise/);
});

test("a headers function may use the store", { timeout: 20_000 }, async (t) => {
  let low = 1;
  const server = await scriptedServer(t, () => {
    low += 32;
    return { body: leased({ ...GRANT, Low: low - 32, High: low - 1 }) };
  });
  const inner = [];
  const store = open(t, server.url, "db", {
    timeout: 5_000,
    headers: () => {
      const ids = store.hilo("orders");
      inner.push(ids.take());
      ids.status();
      if (inner.length < 5) ids.next().then((id) => inner.push(id));
      return {};
    },
  });
  const outer = [];
  for (let i = 0; i < 100; i++) outer.push(await store.hilo("orders").next());
  const all = [...outer, ...inner.filter((id) => id !== undefined)];
  assert.equal(new Set(all).size, all.length);
});

onServers("the fetch option is used for all requests", async (t, server) => {
  const name = await database(t, server);
  const seen = [];
  const store = open(t, server.url, name, {
    fetch: (url, init) => {
      seen.push(`${init.method} ${new URL(url).pathname.split("/").at(-1)}`);
      return fetch(url, init);
    },
  });
  const global = globalThis.fetch;
  after(t, () => {
    globalThis.fetch = global;
  });
  const session = store.openSession();
  await session.store(order());
  await session.saveChanges();
  await store.openSession().load("orders/1-A");
  await store.dispose();
  assert.deepEqual(seen, ["POST multi_get", "POST bulk_docs", "GET docs", "POST bulk_docs"]);
});

for (const [what, fetch] of Object.entries({
  "throws at once": () => {
    throw new TypeError("boom");
  },
  "rejects with nothing": () => Promise.reject(),
  "rejects with text": () => Promise.reject("boom"),
  "rejects with null": () => Promise.reject(null),
  "gives no promise": () => undefined,
  "gives null": () => null,
  "gives a number": () => 5,
  "resolves with nothing": () => Promise.resolve(),
  "resolves with an empty object": () => Promise.resolve({}),
  "resolves with an error response": () => Promise.resolve(Response.error()),
  "resolves with a body that was read": async () => {
    const response = new Response("x");
    await response.text();
    return response;
  },
  "resolves with a body that breaks": async () =>
    new Response(
      new ReadableStream({
        pull() {
          throw new Error("boom");
        },
      }),
    ),
})) {
  test(`a fetch that ${what} rejects the call, and the instance stays alive`, {
    timeout: 30_000,
  }, async (t) => {
    const good = open(t, "http://127.0.0.1:1", "db", { fetch: async () => new Response(leased(GRANT)) });
    assert.equal(await good.hilo("orders").next(), "orders/1-A");
    let calls = 0;
    // A loop without pauses blocks all timers, including the test's own, so `fetch` itself stops it.
    const counted = () => (++calls > 100 ? new Promise(() => {}) : fetch());
    const store = open(t, "http://127.0.0.1:1", "db", { fetch: counted, timeout: 1_000 });
    const error = await within(5_000, failure(store.hilo("orders").next()));
    assert.ok(
      ["Timeout", "Unreachable", "BadAnswer", "Server", "InvalidArgument"].includes(error.code),
      `${error.code}: ${error.message}`,
    );
    assert.ok(calls <= 100, `${calls} requests in a second`);
    assert.equal(good.hilo("orders").take(), "orders/2-A", "the numbers of another store are unaffected");
  });
}

test("a fetch that does not return a promise works or is an error, and the instance stays alive", {
  timeout: 30_000,
}, async (t) => {
  const good = open(t, "http://127.0.0.1:1", "db", { fetch: async () => new Response(leased(GRANT)) });
  assert.equal(await good.hilo("orders").next(), "orders/1-A");
  const store = open(t, "http://127.0.0.1:1", "db", {
    fetch: () => new Response(leased(GRANT)),
    timeout: 1_000,
  });
  const outcome = await within(
    5_000,
    store
      .hilo("orders")
      .next()
      .catch((error) => error.code),
  );
  assert.ok(["orders/1-A", "Timeout", "Unreachable"].includes(outcome), outcome);
  assert.equal(good.hilo("orders").take(), "orders/2-A", "the numbers of another store are unaffected");
});

test("initialize refuses invalid addresses, names and limits", () => {
  const make = (...args) => new DocumentStore(...args).initialize();
  for (const args of [
    ["/raven?key=secret", "db"],
    ["//me:secret@127.0.0.1", "db"],
    ["not a url", "db"],
    ["", "db"],
    [[], "db"],
    ["http://me:secret@127.0.0.1:1", "db"],
    ["https://me:secret@127.0.0.1:99999", "db"],
    ["me:secret@127.0.0.1", "db"],
    ["http://127.0.0.1:1?key=secret", "db"],
    ["http://127.0.0.1:1#secret", "db"],
    ["http://127.0.0.1:1", 5],
    ["http://127.0.0.1:1", "db", { timeout: 0 }],
    ["http://127.0.0.1:1", "db", { timeout: -1 }],
    ["http://127.0.0.1:1", "db", { timeout: Number.NaN }],
    ["http://127.0.0.1:1", "db", { timeout: Number.POSITIVE_INFINITY }],
  ]) {
    const refused = { code: "InvalidArgument", message: /^(?!.*secret)/ };
    assert.throws(() => make(...args), refused, JSON.stringify(args));
  }
  for (const separator of ["", "--", "|", " ", "\n", "1"]) {
    const store = new DocumentStore("http://127.0.0.1:1", "db");
    store.conventions.identityPartsSeparator = separator;
    assert.throws(() => store.initialize(), { code: "InvalidArgument" }, JSON.stringify(separator));
  }
  assert.throws(() => new DocumentStore("http://127.0.0.1:1", "db").openSession(), {
    code: "InvalidOperation",
  });
  assert.throws(() => new DocumentStore("http://127.0.0.1:1", "db").hilo("orders"), {
    code: "InvalidOperation",
  });
});

useModule(readFileSync(new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url)));
const STORES = { DocumentStore, HiLoStore, inline: InlineStore, slim: SlimStore };

for (const [what, Store] of Object.entries(STORES))
  test(`${what}: a store with the address of a page opens where there is no page, and its first request says what to do`, async () => {
    for (const url of ["/raven", "./raven", "//ravendb.example"]) {
      const store = new Store(url, "Shop", { webSocket: class {} }).initialize();
      const unsupported = { code: "Unsupported", message: /page: give an absolute one/ };
      await assert.rejects(store.hilo("orders").next(), unsupported, url);
      const session = store.openSession?.();
      if (session) {
        await session.store({}, "a/1");
        await assert.rejects(session.load("a/2"), unsupported);
        await assert.rejects(session.saveChanges(), { ...unsupported, outcome: "not saved" });
        await assert.rejects(store.changes().ensureConnectedNow(), unsupported);
      }
      await store.dispose();
    }
  });

test("the app's own fetch gets the address of a page also where there is none", async (t) => {
  const asked = [];
  const fetch = async (url) => {
    asked.push(url);
    return new Response(leased(GRANT));
  };
  assert.equal(await open(t, "/raven", "Shop", { fetch }).hilo("orders").next(), "orders/1-A");
  assert.match(asked[0], /^\/raven\/databases\/Shop\/multi_get/);
});

test("an address without a scheme is refused at once, not after a timeout", () => {
  assert.throws(() => new DocumentStore("localhost:8080", "db").initialize(), { code: "InvalidArgument" });
});

onServers("a client certificate is accepted as PEM and as PFX", async (t, server) => {
  const made = certificates(t);
  const gate = await guarded(t, made, server.url);
  for (const options of [
    { certificate: made.pem, type: "pem", ca: made.ca },
    { certificate: made.pem, ca: made.ca },
    { certificate: made.pfx, type: "pfx", password: "secret", ca: made.ca },
  ]) {
    const name = await database(t, server);
    const store = open(t, gate.url, name, options);
    const session = store.openSession();
    await session.store(order({ name: "käse 🧀" }));
    await session.saveChanges();
    assert.equal((await store.openSession().load("orders/1-A")).name, "käse 🧀");
    assert.equal(await store.openSession().load("orders/9-A"), null);
    await store.dispose();
    assert.equal(await counter(server, name, "orders"), 1);
  }
  assert.ok(gate.clients.length >= 12);
  assert.deepEqual([...new Set(gate.clients)], ["client"]);
});

onServers(
  "what is set on the store before initialize is used as if the constructor got it",
  async (t, server) => {
    const made = certificates(t);
    const gate = await guarded(t, made, server.url);
    const store = new DocumentStore("http://127.0.0.1:1", "none", { keep: 0, certificate: "another one" });
    t.after(() => store.dispose());
    store.urls = [gate.url];
    store.database = await database(t, server);
    store.authOptions = { certificate: made.pfx, type: "pfx", password: "secret", ca: made.ca };
    assert.deepEqual(store.authOptions, {
      keep: 0,
      certificate: made.pfx,
      type: "pfx",
      password: "secret",
      ca: made.ca,
    });
    assert.equal(store.identifier, `${gate.url} DB: ${store.database}`);
    const session = store.initialize().openSession();
    await session.store(order({ name: "a" }));
    await session.saveChanges();
    assert.deepEqual([...new Set(gate.clients)], ["client"]);
    store.identifier = "for the log";
    assert.equal(session.advanced.storeIdentifier, `for the log;${store.database}`);
  },
);

test("with a certificate, a save that could not connect goes to the other node", {
  skip: missing(ravendb),
  timeout: 30_000,
}, async (t) => {
  const made = certificates(t);
  const gate = await guarded(t, made, ravendb.url);
  const name = await database(t, ravendb);
  const options = { certificate: made.pem, ca: made.ca, timeout: 5_000 };
  const session = open(t, ["https://127.0.0.1:9", gate.url], name, options).openSession();
  await session.store(order({ n: 1 }), "orders/mine");
  await session.saveChanges();
  assert.equal((await document(ravendb, name, "orders/mine")).n, 1);
});

test("with a certificate, a response with status 205 is an error", { timeout: 30_000 }, async (t) => {
  const made = certificates(t);
  const server = https.createServer({ ...made.server }, (_, response) => response.writeHead(205).end());
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(t, () => server.close());
  const options = { certificate: made.pem, ca: made.ca, timeout: 1_000 };
  const session = open(t, `https://127.0.0.1:${server.address().port}`, "db", options).openSession();
  assert.equal((await failure(session.load("orders/1-A"))).code, "Unreachable");
});

test("a server that requires a client certificate is unreachable without one, with one clear error", {
  skip: missing(ravendb),
  timeout: 30_000,
}, async (t) => {
  const made = certificates(t);
  const gate = await guarded(t, made, ravendb.url);
  const store = open(t, gate.url, "db", { timeout: 1_500 });
  const error = await within(8_000, failure(store.hilo("orders").next()));
  assert.equal(error.code, "Timeout");
  const session = open(t, gate.url, "db", { timeout: 1_500 }).openSession();
  assert.match((await within(8_000, failure(session.load("a/1")))).message, /certificate|TLS|SSL|reach/i);
});

test("an unreadable certificate is refused instead of retried", { timeout: 30_000 }, async (t) => {
  const outcome = await within(
    8_000,
    (async () => {
      const store = open(t, "https://127.0.0.1:1", "db", { certificate: "nonsense", timeout: 1_500 });
      return failure(store.hilo("orders").next());
    })().catch((error) => error),
  );
  assert.ok(outcome instanceof Error);
  assert.match(`${outcome.code} ${outcome.message}`, /PEM|certificate|asn1|reach|InvalidArgument/i);
});

onServers("an id of a database that does not exist is refused with the server's error", async (t, server) => {
  const store = open(t, server.url, "no-such-database-here", { timeout: 5_000 });
  const error = await within(10_000, failure(store.hilo("orders").next()));
  assert.equal(error.name, "DatabaseDoesNotExistException");
  assert.equal(await document(server, await database(t, server), "x"), undefined);
});
