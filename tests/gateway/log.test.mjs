// What the gateway logs: lines of JSON with request ids, and nothing of documents, callers and secrets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gateway, SECRET } from "../support/gateway.mjs";
import { scriptedServer } from "../support/scripted-server.mjs";
import { shownLines, workerLog } from "../support/worker-log.mjs";
import { workerd } from "../support/workerd.mjs";
import { client } from "./requests.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const { get, batch, put } = client("Shop");
const read = get("id=orders%2F1-A");
const save = batch([put("orders/1-A", "Orders", "", { "@secret": "of the document" })]);

const ask = (url, { method, path, body, headers }, more) =>
  fetch(url + path.replace(/^\/raven/, ""), { method, body, headers: { ...headers, ...more } });

/** A gateway before a server that responds as `rule` says, and its log. */
async function logged(t, rule, { log, ...more } = {}) {
  const server = await scriptedServer(t, rule);
  const written = workerLog();
  const options = { collections: { Orders: "write" }, origins: ["https://app.example"], log };
  const made = await gateway(t, { server, base: "Shop", options, more: written.more, ...more });
  return { ...made, ...written, server };
}

test("a request has one id in the log, in the response and at RavenDB; callers cannot smuggle in another text", {
  timeout: 60_000,
}, async (t) => {
  const { url, next, entries, server } = await logged(t, () => ({
    status: 500,
    body: JSON.stringify({ Type: "X", Message: "no" }),
  }));
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const cases = [
    [{}, UUID],
    [{ "x-request-id": "req-7.A_b" }, /^req-7\.A_b$/],
    [{ "x-request-id": "a".repeat(64) }, /^a{64}$/],
    [{ traceparent: trace }, new RegExp(`^${trace}$`)],
    [{ "cf-ray": "8f1c2d3e4a5b6c7d-FRA" }, /^8f1c2d3e4a5b6c7d-FRA$/],
    [{ "x-request-id": "req-8", "cf-ray": "8f1c-FRA" }, /^req-8$/],
    ...["a".repeat(65), 'x"} {"level":"error', "a b", "ä", "a,b", "<script>", "../x"].map((hostile) => [
      { "x-request-id": hostile },
      UUID,
    ]),
    [{ traceparent: `${trace}-${trace}`, "x-request-id": "%0a" }, UUID],
  ];
  const seen = new Set();
  for (const [headers, form] of cases) {
    const response = await ask(url, read, headers);
    const id = response.headers.get("x-request-id");
    assert.match(id, form, JSON.stringify(headers));
    assert.equal(server.requests.at(-1).headers["x-request-id"], id);
    const line = await next(({ requestId }) => requestId === id);
    assert.deepEqual([line.status, line.event], [500, "failed"]);
    const [shown] = shownLines("docs/gateway-log.md");
    assert.deepEqual(Object.keys(line), Object.keys(shown));
    seen.add(id);
  }
  assert.equal(seen.size, cases.length);
  assert.equal(entries().length, cases.length, "one line each");
  const shared = await ask(url, read, { origin: "https://app.example" });
  assert.match(shared.headers.get("access-control-expose-headers"), /x-request-id/i);
});

test("failures and refusals are logged with type and reason, without documents, parameters and tokens", {
  timeout: 60_000,
}, async (t) => {
  const message = "Could not parse the query\r\nQuery: from Orders\r\nParameters: {the secret parameter}";
  const rules = {
    refuses: { status: 400, body: JSON.stringify({ Type: "Raven.RqlException", Message: message }) },
    is: { status: 200, body: '{"Results":[null],"Includes":{}}' },
    cannotParse: {
      status: 400,
      body: JSON.stringify({ Type: "X", Message: "not JSON around: {the secret}" }),
    },
    conflicts: { status: 409, body: JSON.stringify({ Type: "Raven.ConcurrencyException", Message: "x" }) },
    misses: { status: 404, body: "" },
  };
  let rule;
  const functions = `authorize: (request) => {
    const user = request.headers.get("authorization");
    if (user === "Bearer broken") throw new Error("the session store is down");
    return user === "Bearer unknown" ? null : "ann@example.com";
  }`;
  const { url, lines, entries, next } = await logged(t, () => rules[rule], { functions });
  const of = (event, status, type, reason) => ({ event, status, type, message: reason });
  const sent = async (request, headers) => {
    const response = await ask(url, request, { authorization: "Bearer token-of-ann", ...headers });
    return response.headers.get("x-request-id");
  };
  for (const [how, request, headers, level, expected] of [
    [
      "refuses",
      save,
      {},
      "warn",
      of("refused", 400, "Raven.RqlException", "RavenDB responded 400: Could not parse the query"),
    ],
    [
      "is",
      read,
      { authorization: "Bearer broken" },
      "warn",
      of("refused", 403, "RavenEdge.Gateway.NotAuthorized", "the session store is down"),
    ],
    [
      "is",
      read,
      { authorization: "Bearer unknown" },
      "warn",
      of("refused", 401, "RavenEdge.Gateway.Unauthorized"),
    ],
    ["cannotParse", save, {}, "warn", of("refused", 400, "X", "RavenDB responded 400: not JSON")],
    ["is", get("id=users%2Fsecret"), {}, "warn", of("refused", 403, "RavenEdge.Gateway.CollectionRefused")],
  ]) {
    rule = how;
    const id = await sent(request, headers);
    const { requestId, source, method, path, durationMs, ...line } = await next(
      (entry) => entry.requestId === id,
    );
    assert.deepEqual(line, JSON.parse(JSON.stringify({ level, ...expected })));
    assert.deepEqual(
      [source, method, path],
      ["gateway", request.method, request.path.slice(6).split("?")[0]],
    );
    assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
  }
  const before = entries().length;
  for (const [how, request] of [
    ["is", read],
    ["misses", read],
    ["conflicts", save],
  ]) {
    rule = how;
    await sent(request);
  }
  rule = "refuses";
  const last = await sent(save);
  await next(({ requestId }) => requestId === last);
  assert.equal(entries().length, before + 1, "what is served, missing or in conflict is not logged");
  const text = lines.join("\n");
  for (const secret of [
    "secret",
    "token-of-ann",
    "ann@example.com",
    "Bearer",
    SECRET,
    "orders/",
    "orders%2F",
  ])
    assert.ok(!text.includes(secret), `${secret}: ${text}`);
});

test("`log` gets all lines and env, may fail, and sets the level", { timeout: 60_000 }, async (t) => {
  const rule = ({ method }) => ({ status: method === "POST" ? 500 : 404 });
  const functions = `log: async (entry, env) => {
    console.log(JSON.stringify({ own: env.NAME, ...entry }));
    throw new Error("the collector is down");
  }`;
  const own = await logged(t, rule, { functions, env: { NAME: "mine" } });
  const response = await ask(own.url, read);
  assert.equal(response.status, 404);
  const id = response.headers.get("x-request-id");
  const line = await own.next(({ requestId }) => requestId === id);
  assert.deepEqual([line.own, line.level, line.event, line.status], ["mine", "info", "served", 404]);
  for (const [log, events] of [
    ["error", ["failed"]],
    ["warn", ["refused", "failed"]],
    ["info", ["served", "refused", "failed"]],
  ]) {
    const { url, next, entries } = await logged(t, rule, { log });
    await ask(url, read);
    await ask(url, get("id=users%2F1"));
    await ask(url, save);
    await next(({ event }) => event === "failed");
    assert.deepEqual(
      entries().map(({ event }) => event),
      events,
    );
  }
});

test("the log of a stream that breaks off has the id of its request", { timeout: 60_000 }, async (t) => {
  const server = await scriptedServer(t, () => ({
    body: `{"Results":[${'{"a":1,"@metadata":{"@id":"orders/1-A","@collection":"Orders"}},'.repeat(3)}`,
  }));
  const written = workerLog();
  const queries = { all: { query: "from Orders" } };
  const options = { collections: { Orders: "read" }, queries, log: undefined };
  const { url } = await gateway(t, { server, base: "Shop", options, more: written.more });
  const response = await fetch(`${url}/databases/Shop/streams/queries/named/all`, {
    method: "POST",
    body: "{}",
    headers: { "x-request-id": "stream-1" },
  });
  assert.equal(response.status, 200);
  response.text().catch(() => {});
  const line = await written.next(({ event }) => event === "afterResponse");
  assert.deepEqual(
    [line.requestId, line.level, line.message],
    ["stream-1", "error", "RavenDB's stream was cut"],
  );
});

test("a request has the same id at gateway, hub, Durable Object and RavenDB", {
  timeout: 60_000,
}, async (t) => {
  const server = await scriptedServer(t, () => ({
    status: 500,
    body: JSON.stringify({ Type: "System.IO.IOException", Message: "the disk is full\r\n at Raven" }),
  }));
  const { more, next } = workerLog();
  const worker = await workerd(t, {
    text: `
      import gateway from "raven-edge/gateway";
      import { hub } from "raven-edge/hub";
      const shop = hub({ upstream: ${JSON.stringify(server.url)}, namespace: (env) => env.HUB });
      export const LeaseHub = shop.LeaseHub;
      export default gateway({
        upstream: (env) => ({ url: "https://hub", fetch: (request) => shop.fetch(request, env) }),
        database: "Shop",
        secret: ${JSON.stringify(SECRET)},
        collections: { Orders: "write" },
      });`,
    resolveDir: file("."),
    alias: {
      "raven-edge/hub": file("../../pkg/dist/entries/hub.js"),
      "raven-edge/gateway": file("../../pkg/dist/entries/gateway.js"),
    },
    compatibilityDate: "2026-04-01",
    more: { ...more, durableObjects: { HUB: { className: "LeaseHub", useSQLite: true } } },
  });
  const response = await ask(worker.url, client("Shop").lease("orders"));
  const id = response.headers.get("x-request-id");
  assert.match(id, UUID);
  const lines = await Promise.all(
    ["gateway", "hub", "hubObject"].map((source) => next((entry) => entry.source === source)),
  );
  assert.deepEqual(
    lines.map(({ requestId, event }) => [requestId, event]),
    lines.map(() => [id, "failed"]),
  );
  assert.equal(lines[0].message, "RavenDB responded 500: the disk is full");
  assert.equal(lines[1].type, "System.IO.IOException");
  assert.equal(lines[2].message, "the disk is full");
  const leases = server.requests.filter(({ path }) => path.endsWith("/multi_get"));
  assert.deepEqual([...new Set(leases.map(({ headers }) => headers["x-request-id"]))], [id]);
});
