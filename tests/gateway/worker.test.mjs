// The Worker's shell: configuration, `authorize`, rates, upstreams, and what happens when they fail.
import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gateway, SECRET } from "../support/gateway.mjs";
import { scriptedServer } from "../support/scripted-server.mjs";
import { counter, database, document, missing, order, ravendb, send } from "../support/server.mjs";
import { events, failure, open, within } from "../support/store.mjs";
import { workerd } from "../support/workerd.mjs";
import { client, request } from "./requests.mjs";

const options = { skip: missing(ravendb), timeout: 60_000 };
const collections = { Orders: "write" };
const resolveDir = fileURLToPath(new URL(".", import.meta.url));
const alias = {
  "raven-edge/gateway": fileURLToPath(new URL("../../pkg/dist/entries/gateway.js", import.meta.url)),
};

/** A request of the tables, sent with `fetch`. */
const ask = (url, { method, path, body, headers }) =>
  fetch(url + path.replace(/^\/raven/, ""), { method, body, headers });

test("an invalid configuration is an error at startup that names the field", {
  timeout: 60_000,
}, async (t) => {
  const fine = { upstream: "https://r.example", database: "Shop", collections, secret: SECRET };
  const wrong = {
    database: { ...fine, database: undefined },
    collections: { ...fine, collections: undefined },
    "collections.Orders": { ...fine, collections: { Orders: "admin" } },
    "collections.X.prefix": { ...fine, collections: { X: { allow: "read", prefix: "Raven/" } } },
    upstream: { ...fine, upstream: "ravendb:8080" },
    "upstream.": { ...fine, upstream: undefined },
    secret: { ...fine, secret: "too short" },
    "secret.": { ...fine, secret: undefined },
    "secret..": { ...fine, secret: [] },
    "limits.range": { ...fine, limits: { range: 5 } },
    "origins.0": { ...fine, origins: ["*"] },
    path: { ...fine, path: "raven/" },
    authorize: { ...fine, authorize: true },
    "rateLimit.limiter": { ...fine, rateLimit: {} },
    orgins: { ...fine, orgins: [] },
    "raven-edge/gateway-live": { ...fine, live: true },
  };
  const text = `
    import gateway from "raven-edge/gateway";
    const tried = (options) => {
      try {
        gateway(options);
        return "";
      } catch (error) {
        return error.message;
      }
    };
    export default { async fetch(request) { return Response.json(tried(await request.json())); } };`;
  for (const compatibilityDate of ["2024-09-23", "2026-04-01"]) {
    const worker = await workerd(t, { text, resolveDir, alias, compatibilityDate });
    const tried = async (of) => (await worker("/", { method: "POST", body: JSON.stringify(of) })).json();
    assert.equal(await tried(fine), "");
    for (const [field, of] of Object.entries(wrong)) {
      const message = await tried(of);
      assert.ok(message.includes(field.replace(/\.+$/, "")), `${field}: ${message || "no error"}`);
    }
    for (const [misspelt, name] of [
      ["orgins", "origins"],
      ["authorise", "authorize"],
      ["ratelimit", "rateLimit"],
    ])
      assert.match(await tried({ ...fine, [misspelt]: "x" }), new RegExp(`"${misspelt}".*"${name}"`));
  }
});

test("authorize gets the operations of a request and returns the caller's identity", options, async (t) => {
  const functions = `authorize: async (request, { operations }) => {
    if (operations.some(({ action }) => action === "delete")) return false;
    if (request.headers.get("authorization")) console.log(JSON.stringify(operations));
    if (operations[0].ids.includes("orders/13-A")) throw new Error("bad luck");
    return request.headers.get("authorization") ?? false;
  }`;
  const logged = [];
  const more = { handleRuntimeStdio: (stdout) => stdout.on("data", (data) => logged.push(String(data))) };
  const { url, base, wire } = await gateway(t, { options: { collections }, functions, more });
  const as = (user) => ({ headers: () => ({ Authorization: user }) });
  const store = open(t, url, base, as("ann"));
  const session = store.openSession();
  const one = order();
  await session.store(one);
  await session.saveChanges();
  await store.openSession().load("orders/1-A");
  const other = await ask(url, client(base).get("id=ORDERS%2F1-a", { authorization: "ann" }));
  assert.match(await other.text(), /"@id":"orders\/1-A"/, "the same document in other letter case");
  await session.delete(one);
  const refused = await failure(session.saveChanges());
  assert.deepEqual([refused.type, refused.status], ["RavenEdge.Gateway.NotAuthorized", 403]);
  for (const nobody of [{}, as("")]) {
    const { type } = await failure(open(t, url, base, nobody).hilo("orders").next());
    assert.equal(type, "RavenEdge.Gateway.NotAuthorized");
  }
  await store.dispose();
  assert.equal(await counter(ravendb, base, "orders"), 1);
  const operations = logged
    .join("")
    .split("\n")
    .filter((line) => line.startsWith("["))
    .map((line) => JSON.parse(line));
  assert.deepEqual(operations, [
    [{ action: "lease", collection: "Orders", ids: [] }],
    [{ action: "create", collection: "Orders", ids: ["orders/1-A"] }],
    [{ action: "read", collection: "Orders", ids: ["orders/1-A"] }],
    [{ action: "read", collection: "Orders", ids: ["ORDERS/1-a"] }],
    [{ action: "return", collection: "Orders", ids: [] }],
  ]);
  const before = wire.requests.length;
  const broken = await ask(url, client(base).get("id=orders%2F13-A", { authorization: "ann" }));
  assert.deepEqual([broken.status, (await broken.json()).Type], [403, "RavenEdge.Gateway.NotAuthorized"]);
  assert.equal(wire.requests.length, before);
});

test("authorize gets env and context; null means that nobody is signed in", options, async (t) => {
  const functions = `authorize: async (request, intent, env, context) => {
    context.waitUntil(Promise.resolve());
    const user = request.headers.get("authorization");
    if (user === "undefined") return undefined;
    return user && env.USERS.includes(user) ? user : null;
  }`;
  const levels = { Orders: "write", Products: "read" };
  const env = { USERS: ["ann"] };
  const { url, base, wire } = await gateway(t, { options: { collections: levels }, functions, env });
  const { get, lease, batch, put, remove } = client(base);
  assert.equal((await ask(url, get("id=orders%2F1-A", { authorization: "ann" }))).status, 404);
  wire.requests.length = 0;
  for (const [request, named] of [
    [
      get("id=orders%2F1-A&id=orders%2F2-A&id=products%2F1-A"),
      /read "orders\/1-A", "orders\/2-A" of "Orders"/,
    ],
    [get("startsWith=orders%2F&pageSize=5"), /list "orders\/" of "Orders"/],
    [lease("orders"), /lease ids of "Orders"/],
    [
      batch([put("orders/1-A", "Orders"), remove("orders/2-A")]),
      /create "orders\/1-A".*delete "orders\/2-A"/,
    ],
  ]) {
    const nobody = await ask(url, request);
    const refusal = await nobody.json();
    assert.deepEqual([nobody.status, refusal.Type], [401, "RavenEdge.Gateway.Unauthorized"]);
    assert.match(refusal.Message, named);
    assert.match(refusal.Message, /sign in/);
    const refused = await ask(url, {
      ...request,
      headers: { ...request.headers, authorization: "undefined" },
    });
    const why = await refused.json();
    assert.deepEqual([refused.status, why.Type], [403, "RavenEdge.Gateway.NotAuthorized"]);
    assert.match(why.Message, named);
  }
  assert.equal(wire.requests.length, 0);
  const store = open(t, url, base);
  const session = store.openSession();
  await session.store(order(), "orders/7-A");
  for (const work of [
    () => session.load("orders/1-A"),
    () => session.saveChanges(),
    () => store.hilo("orders").next(),
  ]) {
    const { code, status, type } = await failure(work());
    assert.deepEqual([code, status, type], ["Unauthorized", 401, "RavenEdge.Gateway.Unauthorized"]);
  }
});

test("a refusal names what was asked for and what would pass", options, async (t) => {
  const levels = { Orders: "write", Products: "read" };
  const { url, base } = await gateway(t, { options: { collections: levels } });
  const { get, lease, batch, put } = client(base);
  for (const [request, named] of [
    [
      get("id=secrets%2F1-A"),
      /"read" for the id "secrets\/1-A": ids may begin with "orders\/" or "products\/"/,
    ],
    [get("startsWith=secrets%2F&pageSize=5"), /the prefix "secrets\/"/],
    [
      lease("products"),
      /"lease", which new documents need, for the counter "products": ids may begin with "orders\/"/,
    ],
    [batch([put("products/1-A", "Products")]), /"create" for the id "products\/1-A"/],
    [batch([put("orders/1-A", "Products")]), /must have the @collection "Orders"/],
  ]) {
    const refused = await ask(url, request);
    assert.equal(refused.status, 403);
    assert.match((await refused.json()).Message, named);
  }
});

test("authorize, the limiter and RavenDB have a time limit", { timeout: 60_000 }, async (t) => {
  const more = { handleRuntimeStdio: () => {} };
  const limits = { authorizeMs: 200, upstreamMs: 300 };
  const server = await scriptedServer(t, () => ({ status: 404, body: "" }));
  const made = (functions) =>
    gateway(t, { server, base: "Shop", options: { collections, limits }, functions, more });
  const { get, batch, put, lease } = client("Shop");
  const type = async (response) => (await response.json()).Type.replace("RavenEdge.Gateway.", "");
  const never = await made("authorize: () => new Promise(() => {})");
  const refused = await within(10_000, ask(never.url, get("id=orders%2F1-A")));
  assert.deepEqual([refused.status, await type(refused)], [403, "NotAuthorized"]);
  assert.equal(never.wire.requests.length, 0);
  const limiter = await made("rateLimit: { limiter: () => ({ limit: () => new Promise(() => {}) }) }");
  const misconfigured = await within(10_000, ask(limiter.url, get("id=orders%2F1-A")));
  assert.equal(await type(misconfigured), "Misconfigured");
  const silent = await made("");
  silent.wire.rule = () => "hole";
  const deaf = await made(
    `upstream: () => ({ url: "http://ravendb", fetch: () => new Promise((resolve) => setTimeout(resolve, 20_000)) })`,
  );
  for (const { url } of [silent, deaf])
    for (const request of [get("id=orders%2F1-A"), batch([put("orders/1-A", "Orders")]), lease("orders")]) {
      const response = await within(10_000, ask(url, request));
      assert.deepEqual([response.status, await type(response)], [502, "UpstreamUnreachable"]);
    }
});

test("a request takes no memory for the largest body that it may have", options, async (t) => {
  const { url, base } = await gateway(t, {
    options: { collections, limits: { body: 64 << 20 } },
    global: `
      let largest = 0;
      globalThis.Uint8Array = new Proxy(Uint8Array, {
        construct(of, args, target) {
          if (typeof args[0] === "number") largest = Math.max(largest, args[0]);
          return Reflect.construct(of, args, target);
        },
      });`,
    functions: "authorize: () => largest < 10_000",
  });
  const { get, batch, put } = client(base);
  for (const request of [batch([put("orders/1-A", "Orders")]), get("id=orders%2F1-A")])
    assert.ok((await ask(url, request)).ok);
});

test("one document that is named many times is read once", options, async (t) => {
  const { url, base, wire } = await gateway(t, { options: { collections } });
  const { several, part } = client(base);
  const large = { text: "x".repeat(100_000), "@metadata": { "@collection": "Orders" } };
  await send(ravendb.url, "PUT", `/databases/${base}/docs?id=orders%2F1-A`, large);
  const named = (count) =>
    request("POST", `/raven/databases/${base}/docs`, { Ids: Array(count).fill("ORDERS/1-a") });
  wire.requests.length = 0;
  const few = await (await ask(url, named(8))).json();
  assert.deepEqual(new Set(few.Results.map(({ text }) => text.length)), new Set([100_000]));
  assert.equal(few.Results.length, 8);
  const many = await ask(url, named(1_000));
  assert.deepEqual([many.status, (await many.json()).Type], [413, "RavenEdge.Gateway.LimitExceeded"]);
  const lazily = await (await ask(url, several(Array(8).fill(part("docs", "?id=orders%2F1-A"))))).json();
  assert.equal(lazily.Results.length, 8);
  assert.equal(wire.requests.length, 3);
  for (const { body, responseText } of wire.requests) {
    assert.equal(body.match(/orders(\/|%2F)1-a/gi).length, 1, body);
    assert.ok(responseText.length < 110_000, `${responseText.length} bytes`);
  }
});

test(
  "a deletion with a wrong change vector does not tell a hidden document from a missing one",
  options,
  async (t) => {
    const { url, base } = await gateway(t, { options: { collections: { Orders: "delete" } } });
    const { batch, remove, one } = client(base);
    const secret = { "@metadata": { "@collection": "Secrets" } };
    await send(ravendb.url, "PUT", `/databases/${base}/docs?id=orders%2F1-A`, secret);
    for (const wrong of ["A:9-x", ""]) {
      const responseTo = async (id) => {
        const alone = await ask(url, one("DELETE", id, undefined, { "if-match": `"${wrong}"` }));
        const several = await ask(url, batch([remove(id, { ChangeVector: wrong })]));
        const texts = [await alone.text(), await several.text()];
        return [alone.status, several.status, ...texts.map((text) => text.replaceAll(id.slice(7), "ID"))];
      };
      assert.deepEqual(await responseTo("orders/1-A"), await responseTo("orders/2-A"));
      assert.equal((await responseTo("orders/1-A"))[0], 409);
    }
  },
);

test("authorize gets the included documents of a read before they are sent", options, async (t) => {
  const functions = `authorize: (request, { operations }) =>
    operations.every(({ action, ids }) => action !== "read" || !ids.includes("users/2-A"))`;
  const levels = { Orders: "write", Users: "read" };
  const { url, base } = await gateway(t, { options: { collections: levels }, functions });
  const { get, batch, several, part, put } = client(base);
  for (const id of ["users/1-A", "users/2-A"])
    await send(ravendb.url, "PUT", `/databases/${base}/docs?id=${encodeURIComponent(id)}`, {
      text: `SECRET of ${id}`,
      "@metadata": { "@collection": "Users" },
    });
  const owned = (id, owner) => {
    const { Document, ...command } = put(id, "Orders");
    return { ...command, Document: { ...Document, owner } };
  };
  await ask(url, batch([owned("orders/1-A", "users/1-A"), owned("orders/2-A", "USERS/2-a")]));
  const query = (id) => `id=orders%2F${id}-A&include=owner`;
  for (const read of [(id) => get(query(id)), (id) => several([part("docs", `?${query(id)}`)])]) {
    const [own, foreign] = [await ask(url, read(1)), await ask(url, read(2))];
    assert.match(await own.text(), /SECRET of users.1-A/);
    const text = await foreign.text();
    assert.deepEqual([foreign.status, JSON.parse(text).Type], [403, "RavenEdge.Gateway.NotAuthorized"]);
    assert.doesNotMatch(text, /SECRET/);
  }
});

test("includes do not reveal the references of a hidden document", options, async (t) => {
  const { url, base, wire } = await gateway(t, { options: { collections: { Users: "read" } } });
  const { get, several, part } = client(base);
  const store = (id, collection, fields) =>
    send(ravendb.url, "PUT", `/databases/${base}/docs?id=${encodeURIComponent(id)}`, {
      ...fields,
      "@metadata": { "@collection": collection },
    });
  for (const id of ["users/1-A", "users/2-A", "users/4711"])
    await store(id, "Users", { friend: "users/2-A" });
  await store("users/1-A/card", "Cards", { pin: 4711 });
  const ids = "id=users%2F1-A&id=users%2F1-A%2Fcard";
  const responseTo = async (asked) => {
    const texts = [];
    for (const request of [get(asked), several([part("docs", `?${asked}`)])]) {
      wire.requests.length = 0;
      texts.push(await (await ask(url, request)).text(), String(wire.requests.length));
    }
    return texts;
  };
  for (const include of ["pin(users/)", "friend"]) {
    const asked = `${ids}&include=${encodeURIComponent(include)}`;
    const hidden = await responseTo(asked);
    const shown = hidden.join().replace(/"@last-modified":"[^"]*"/g, "");
    assert.doesNotMatch(shown, /4711|DocumentRefused/);
    const missing = await responseTo(asked.replace("card", "none"));
    assert.deepEqual(hidden, missing, "nobody can tell the one from the other");
    assert.equal(hidden.join().includes('"users/2-A":'), include === "friend");
  }
  const card = await ask(url, get("id=users%2F1-A%2Fcard&include=pin(users%2F)"));
  assert.equal(card.status, 404);
  const friends = await (await ask(url, get("id=users%2F1-A&id=users%2F3-A&include=friend"))).json();
  assert.deepEqual(Object.keys(friends.Includes), ["users/2-A"], "next to a missing document");
});

test("a caller cannot return numbers that another one leased", options, async (t) => {
  const functions = `authorize: (request) => request.headers.get("authorization") ?? false`;
  const { url, base } = await gateway(t, { options: { collections }, functions });
  let user = "ann";
  const store = open(t, url, base, { headers: () => ({ Authorization: user }) });
  const returned = events(store, "return");
  await store.hilo("orders").next();
  user = "bob";
  await store.dispose();
  const { applied, error } = await returned.next();
  assert.deepEqual([applied, error.type], [false, "RavenEdge.Gateway.ReturnRefused"]);
  assert.equal(await counter(ravendb, base, "orders"), 32);
});

test("a secret can be replaced; tokens of the old one stay valid", options, async (t) => {
  const old = await gateway(t, { options: { collections } });
  const upstream = old.wire.url;
  const next = ["another secret of the tests, as long", SECRET];
  const turned = await gateway(t, { base: old.base, options: { collections, upstream, secret: next } });
  const store = open(t, old.url, old.base, {
    fetch: (url, init) => fetch(url.includes("bulk_docs") ? url.replace(old.url, turned.url) : url, init),
  });
  await store.hilo("orders").next();
  await store.dispose();
  assert.equal(await counter(ravendb, old.base, "orders"), 1);
});

test("tokens are invalid with another secret or server", options, async (t) => {
  const one = await gateway(t, { options: { collections } });
  const other = await gateway(t, { base: one.base, options: { collections, secret: SECRET.toUpperCase() } });
  const moved = await gateway(t, { base: one.base, options: { collections } });
  for (const { url } of [other, moved]) {
    const store = open(t, one.url, one.base, {
      fetch: (to, init) => fetch(to.includes("bulk_docs") ? to.replace(one.url, url) : to, init),
    });
    const returned = events(store, "return");
    await store.hilo("orders").next();
    await store.dispose();
    assert.equal((await returned.next()).error.type, "RavenEdge.Gateway.ReturnRefused");
  }
});

test("a client that sends too many requests is refused", options, async (t) => {
  const functions = `rateLimit: {
    limiter: (env) => ({ limit: async ({ key }) => ({ success: env.ALLOWED.includes(key) }) }),
    key: (request) => request.headers.get("x-client"),
  }`;
  const { url, base, wire } = await gateway(t, {
    options: { collections },
    functions,
    env: { ALLOWED: ["a"] },
  });
  const get = (name) => ask(url, client(base).get("id=orders%2F1-A", { "x-client": name }));
  assert.equal((await get("a")).status, 404);
  const before = wire.requests.length;
  const refused = await get("b");
  assert.deepEqual([refused.status, (await refused.json()).Type], [429, "RavenEdge.Gateway.RateLimited"]);
  const type = async (headers) => {
    const response = await ask(url, { ...client(base).text("no JSON"), headers });
    return (await response.json()).Type.replace("RavenEdge.Gateway.", "");
  };
  assert.equal(await type({ "x-client": "a" }), "RequestMalformed");
  assert.equal(await type({ "x-client": "b" }), "RateLimited", "refused requests count too");
  const foreign = { "x-client": "b", origin: "https://evil.example" };
  assert.equal(await type(foreign), "OriginRefused", "requests of foreign pages do not count");
  assert.equal(wire.requests.length, before);
});

test("a missing rate limiter refuses all callers, and its error is logged only", options, async (t) => {
  const { url, base, wire } = await gateway(t, {
    options: { collections },
    functions: "rateLimit: { limiter: (env) => env.MISSING }",
    more: { handleRuntimeStdio: () => {} },
  });
  const response = await ask(url, client(base).get("id=orders%2F1-A"));
  assert.deepEqual([response.status, (await response.json()).Type], [500, "RavenEdge.Gateway.Misconfigured"]);
  assert.equal(wire.requests.length, 0);
});

test("a caller with `change` but without `create` must send a change vector", options, async (t) => {
  const { url, base } = await gateway(t, { options: { collections: { Orders: ["read", "change"] } } });
  const { batch, put, one } = client(base);
  const doc = { a: 1, "@metadata": { "@collection": "Orders" } };
  const missing = [
    batch([put("orders/1-A", "Orders", null)]),
    one("PUT", "orders/1-A", doc),
    batch([put("orders/1-A", "Orders", "A:1-x")]),
    one("PUT", "orders/1-A", doc, { "if-match": '"A:1-x"' }),
  ];
  const statuses = [];
  for (const request of missing) statuses.push((await ask(url, request)).status);
  assert.deepEqual(statuses, [403, 403, 409, 409]);
  assert.equal(await document(ravendb, base, "orders/1-A"), undefined);
  const stored = await send(ravendb.url, "PUT", `/databases/${base}/docs?id=orders%2F1-A`, doc);
  const changed = await ask(url, batch([put("orders/1-A", "Orders", stored.json.ChangeVector)]));
  assert.equal(changed.status, 201);
});

test("the app can set the upstream's address and fetch function", options, async (t) => {
  const base = await database(t, ravendb);
  const functions = `
    upstream: (env) => ({
      url: "https://vpc.internal/db",
      fetch: (request) => fetch(request.url.replace("https://vpc.internal/db", env.RAVEN), request),
    }),
    secret: (env) => [env.SECRET]`;
  const env = { RAVEN: ravendb.url, SECRET };
  const { url } = await gateway(t, {
    base,
    options: { collections, upstream: undefined, secret: undefined },
    functions,
    env,
  });
  const store = open(t, url, base);
  assert.equal(await store.hilo("orders").next(), "orders/1-A");
  await store.dispose();
  assert.equal(await counter(ravendb, base, "orders"), 1);
});

test("a missing secret is logged and not revealed to the caller", options, async (t) => {
  const { url, base, wire } = await gateway(t, {
    options: { collections, secret: undefined },
    functions: "secret: (env) => env.MISSING",
    more: { handleRuntimeStdio: () => {} },
  });
  const response = await ask(url, client(base).get("id=orders%2F1-A"));
  const error = await response.json();
  assert.deepEqual([response.status, error.Type], [500, "RavenEdge.Gateway.Misconfigured"]);
  assert.ok(!error.Message.includes("secret"));
  assert.equal(wire.requests.length, 0);
});

test("a claim that is null is missing, and one that JSON cannot write is logged", options, async (t) => {
  const { url, base } = await gateway(t, {
    options: { collections, claims: ["team"] },
    functions: `authorize: ({ headers }) =>
      ({ name: "ann", ...[{ team: null, role: null }, { team: 1n }][headers.get("x-claims")] })`,
    more: { handleRuntimeStdio: () => {} },
  });
  const { get } = client(base);
  assert.equal((await ask(url, get("id=orders%2F1-A", { "x-claims": "0" }))).status, 404);
  const response = await ask(url, get("id=orders%2F1-A", { "x-claims": "1" }));
  assert.deepEqual([response.status, (await response.json()).Type], [500, "RavenEdge.Gateway.Misconfigured"]);
});

test("a write is sent once, whatever the outcome", options, async (t) => {
  const { url, base, wire } = await gateway(t, {
    options: { collections },
    more: { handleRuntimeStdio: () => {} },
  });
  const { batch, put, lease } = client(base);
  for (const request of [batch([put("orders/1-A", "Orders")]), lease("orders")]) {
    for (const rule of ["drop", "lose", { cut: 20 }]) {
      wire.requests.length = 0;
      wire.rule = () => rule;
      const response = await ask(url, request);
      assert.deepEqual(
        [response.status, (await response.json()).Type],
        [502, "RavenEdge.Gateway.UpstreamUnreachable"],
      );
      assert.equal(wire.requests.length, 1);
    }
  }
  wire.rule = undefined;
  await wire.off();
  const response = await ask(url, batch([put("orders/2-A", "Orders")]));
  assert.equal((await response.json()).Type, "RavenEdge.Gateway.UpstreamUnreachable");
});

test("the gateway does not wait for an endless body", options, async (t) => {
  const limits = { body: 4_096 };
  const { url, base } = await gateway(t, { options: { collections, limits } });
  const sent = http.request(`${url}/databases/${base}/bulk_docs`, { method: "POST" });
  const response = new Promise((resolve, reject) => sent.on("response", resolve).on("error", reject));
  sent.write(" ".repeat(8_192));
  const { statusCode } = await within(10_000, response);
  sent.destroy();
  assert.equal(statusCode, 413);
});

test("concurrent leases are not merged", options, async (t) => {
  const { url, base, wire } = await gateway(t, { options: { collections } });
  wire.requests.length = 0;
  const leases = await Promise.all(
    Array.from({ length: 40 }, async () => (await ask(url, client(base).lease("orders"))).json()),
  );
  const lows = leases.map(({ Results: [{ Result }] }) => Result.Low);
  assert.equal(new Set(lows).size, 40);
  assert.equal(wire.requests.length, 40);
});

test("no two leases look the same, whatever nonces callers send", options, async (t) => {
  const { url, base, wire } = await gateway(t, { options: { collections } });
  const { raven, lease } = client(base);
  const plain = request("GET", `${raven}/hilo/next?tag=orders`);
  wire.requests.length = 0;
  for (const asked of [plain, plain, lease("orders"), lease("orders")]) assert.ok((await ask(url, asked)).ok);
  const sent = wire.requests.map(({ target, body }) => `${target} ${body}`);
  assert.equal(new Set(sent).size, 4, sent.join());
});

test("no part of a server's response is forwarded by accident", { timeout: 60_000 }, async (t) => {
  let scripted = {};
  const server = await scriptedServer(t, () => scripted);
  const { url, wire } = await gateway(t, { server, base: "Shop", options: { collections } });
  const port = `:${new URL(server.url).port}`;
  const headers = {
    server: "Kestrel",
    "set-cookie": "a=b",
    "x-upstream": server.url,
    location: server.url,
    "www-authenticate": "x",
  };
  const { get, lease, batch, put, one } = client("Shop");
  for (const [scriptedResponse, expected] of [
    [{ status: 302, body: "" }, 502],
    [{ status: 200, body: "<html>" }, 502],
    [{ status: 200, body: `{"Results":5}` }, undefined],
    [{ status: 500, body: `{"Type":"X.Y","Message":"${server.url}","Error":"   at Raven.Server.X"}` }, 500],
    [{ status: 401, body: "go away" }, 502],
    [{ status: 403, body: "" }, 502],
    [{ status: 418, body: `{"Type":"<b>","Message":"x"}` }, 502],
    [{ status: 204, body: "" }, 502],
  ]) {
    scripted = { ...scriptedResponse, headers };
    for (const request of [get("id=orders%2F1-A"), lease("orders"), batch([put("orders/1-A", "Orders")])]) {
      wire.requests.length = 0;
      const response = await ask(url, request);
      const text = await response.text();
      assert.equal(wire.requests.length, 1, "no redirect is followed and nothing is retried");
      if (expected) assert.equal(response.status, expected, `${scripted.status} ${scripted.body}: ${text}`);
      const all = `${JSON.stringify([...response.headers])}${text}`;
      for (const leak of [port, "Kestrel", "Raven.Server", "a=b", "<html>", "go away"]) {
        assert.ok(!all.includes(leak), `${leak}: ${all}`);
      }
    }
  }
  // RavenDB's 404 has no body; a 404 of a proxy has one and means something else.
  const reads = [get("id=orders%2F1-A"), one("HEAD", "orders/1-A")];
  for (const [body, expected] of [
    ["", 404],
    ["404 page not found", 502],
    ["{}", 502],
  ]) {
    scripted = { status: 404, body, headers };
    for (const request of reads) assert.equal((await ask(url, request)).status, expected, body);
  }
  scripted = {
    status: 200,
    body: `{"Results":[]}`,
    headers: { "Refresh-Topology": "true", ETag: '"x"', "Database-Cluster-Tx-Id": "i" },
  };
  const passed = await ask(url, get("id=orders%2F1-A&id=orders%2F2-A"));
  assert.deepEqual(
    ["refresh-topology", "etag", "database-cluster-tx-id"].map((name) => passed.headers.get(name)),
    ["true", null, "i"],
  );
});

test("a recreated database accepts no return of the old one", options, async (t) => {
  const { url, base } = await gateway(t, { options: { collections } });
  const { lease, batch, patch } = client(base);
  const { Results: parts } = await (await ask(url, lease("orders"))).json();
  const metadata = parts[1].Result.Results[0]["@metadata"];
  const fence = `${metadata["@change-vector"]} ${metadata["@last-modified"]}`;
  await send(ravendb.url, "DELETE", "/admin/databases", { DatabaseNames: [base], HardDelete: true });
  await send(ravendb.url, "PUT", `/admin/databases?name=${base}&replicationFactor=1`, { DatabaseName: base });
  assert.equal((await (await ask(url, lease("orders"))).json()).Results[0].Result.Low, 1);
  const response = await ask(url, batch([patch("orders", fence, 32, 0)]));
  assert.equal((await response.json()).Type, "RavenEdge.Gateway.ReturnRefused");
  assert.equal(await counter(ravendb, base, "orders"), 32);
});
