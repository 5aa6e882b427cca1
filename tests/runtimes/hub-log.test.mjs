// What the lease hub logs: lines of JSON with request ids, and nothing of documents and callers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { GRANT, leased, scriptedServer } from "../support/scripted-server.mjs";
import { shownLines, workerLog } from "../support/worker-log.mjs";
import { workerd } from "../support/workerd.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A hub before a server that responds as `rule` says, and its log. */
async function logged(t, rule, options = "") {
  const server = await scriptedServer(t, rule);
  const { more, ...log } = workerLog();
  const { url } = await workerd(t, {
    text: `
      import { hub } from "raven-edge/hub";
      const shop = hub({ upstream: ${JSON.stringify(server.url)}, namespace: (env) => env.HUB, ${options} });
      export const LeaseHub = shop.LeaseHub;
      export default {
        async fetch(request, env, context) {
          if (!request.url.endsWith("/release")) return shop.fetch(request, env, context);
          return new Response(await shop.release(env, "Shop", "orders").then(() => "", String));
        },
      };`,
    resolveDir: file("."),
    alias: { "raven-edge/hub": file("../../pkg/dist/entries/hub.js") },
    compatibilityDate: "2026-04-01",
    more: { ...more, durableObjects: { HUB: { className: "LeaseHub", useSQLite: true } } },
  });
  return { url, server, ...log };
}

const LEASE = "/databases/Shop/hilo/next?tag=orders";
const DOCUMENT = JSON.stringify({ iban: "of a customer" });

test("an error of RavenDB is logged with its type and request id, without its message, which may quote the request", {
  timeout: 60_000,
}, async (t) => {
  const { url, server, lines, entries, next } = await logged(t, ({ path, body }) => ({
    status: path.endsWith("/bulk_docs") ? 400 : path.endsWith("/missing") ? 404 : 200,
    body: path.endsWith("/bulk_docs")
      ? JSON.stringify({ Type: "Raven.Bad", Message: `around: ${body}` })
      : "",
  }));
  const headers = { authorization: "Bearer token", "x-request-id": "save-1" };
  const saved = await fetch(`${url}/databases/Shop/bulk_docs?id=orders%2F1`, {
    method: "POST",
    body: DOCUMENT,
    headers,
  });
  assert.deepEqual([saved.status, saved.headers.get("x-request-id")], [400, "save-1"]);
  assert.match((await saved.json()).Message, /iban/, "the client gets the message");
  assert.equal(server.requests[0].headers["x-request-id"], "save-1");
  const { durationMs, ...line } = await next(({ requestId }) => requestId === "save-1");
  const [, shown] = shownLines("docs/hub.md");
  assert.deepEqual(Object.keys({ ...line, durationMs }), Object.keys(shown));
  assert.deepEqual(line, {
    level: "warn",
    source: "hub",
    event: "refused",
    requestId: "save-1",
    method: "POST",
    path: "/databases/Shop/bulk_docs",
    status: 400,
    type: "Raven.Bad",
  });
  for (const path of ["docs?id=orders%2F1", "missing"]) {
    const served = await fetch(`${url}/databases/Shop/${path}`, { headers: { "x-request-id": 'x"\\{' } });
    assert.match(served.headers.get("x-request-id"), UUID);
    assert.equal(server.requests.at(-1).headers["x-request-id"], served.headers.get("x-request-id"));
  }
  const foreign = await fetch(`${url}${LEASE}`, { headers: { origin: "https://evil.example" } });
  assert.equal((await next(({ status }) => status === 403)).requestId, foreign.headers.get("x-request-id"));
  assert.equal(entries().length, 2, "what is served or missing is not logged");
  for (const secret of ["iban", "token", "orders"]) assert.ok(!lines.join().includes(secret), secret);
});

test("a lease that fails has the same id in the lines of the hub and its object, and at the source", {
  timeout: 60_000,
}, async (t) => {
  let isDown = true;
  const { url, server, next } = await logged(t, ({ path }) =>
    isDown
      ? { status: 500, body: JSON.stringify({ Type: "System.Full", Message: "the disk is full\n at Raven" }) }
      : path.endsWith("/multi_get")
        ? { body: leased({ ...GRANT, High: 1_024, LastSize: 1_024 }) }
        : { status: 500, body: "not now" },
  );
  const failed = await fetch(url + LEASE);
  const id = failed.headers.get("x-request-id");
  assert.equal(failed.status, 500);
  const [worker, object] = await Promise.all(
    ["hub", "hubObject"].map((source) => next((entry) => entry.source === source)),
  );
  assert.deepEqual([worker.requestId, worker.level, worker.type], [id, "error", "System.Full"]);
  assert.deepEqual([object.requestId, object.level, object.message], [id, "error", "the disk is full"]);
  assert.equal(server.requests[0].headers["x-request-id"], id);
  isDown = false;
  const lent = await fetch(url + LEASE, { headers: { "x-request-id": "lease-2" } });
  assert.deepEqual([lent.status, lent.headers.get("x-request-id")], [201, "lease-2"]);
  const before = server.requests.length;
  await fetch(`${url}/release`);
  assert.ok(server.requests.length > before);
  assert.match(server.requests.at(-1).headers["x-request-id"], UUID, "a return has an id of its own");
});

test("`log` of a hub is a level or a function, which gets all lines", { timeout: 60_000 }, async (t) => {
  const own = "log: (entry) => console.log(JSON.stringify({ own: true, ...entry }))";
  const { url, next } = await logged(t, () => ({ body: "{}" }), own);
  await fetch(`${url}/databases/Shop/docs?id=a`);
  const line = await next(({ event }) => event === "served");
  assert.deepEqual([line.own, line.level, line.status], [true, "info", 200]);
});
