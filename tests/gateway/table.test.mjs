// The tables of requests, through the real gateway in real workerd to the real RavenDB; a proxy between the two
// records what is sent.
import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { gateway } from "../support/gateway.mjs";
import { counter, document, missing, otherLease, ravendb, send } from "../support/server.mjs";
import { allowed } from "./allowed.mjs";
import { refused } from "./refused.mjs";
import { client, OPTIONS } from "./requests.mjs";

const options = { skip: missing(ravendb), timeout: 120_000 };

/** The caller's name is in a header; one caller is refused. */
const functions = `authorize: (request) => {
  const user = request.headers.get("x-user");
  return user === null ? true : user === "nobody" ? false : user;
}`;

/** The headers that requests of the gateway may have, besides those that the platform adds. */
const SENT = new Set([
  "accept",
  "accept-encoding",
  "content-length",
  "content-type",
  "host",
  "if-match",
  // Informs hubs; the gateway sends it whatever the caller sends.
  "raven-edge-page",
  "x-request-id",
  "connection",
  "cf-connecting-ip",
  "cf-ew-via",
  "cf-worker",
  "user-agent",
  "transfer-encoding",
  "cdn-loop",
]);

/** Sends a request byte by byte as it is written. */
function raw(url, { method, path, body, headers, chunked }) {
  const { hostname, port } = new URL(url);
  const length = body === undefined || chunked ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = http.request(
      { hostname, port, method, path, headers: { ...headers, ...length }, agent: false },
      async (response) => {
        try {
          const chunks = [];
          for await (const chunk of response) chunks.push(chunk);
          resolve({
            status: response.statusCode,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          });
        } catch (error) {
          reject(error);
        }
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

async function prepared(t, more) {
  const made = await gateway(t, { options: { ...OPTIONS, ...more }, functions });
  const { base } = made;
  const store = (id, fields, collection) =>
    send(ravendb.url, "PUT", `/databases/${base}/docs?id=${encodeURIComponent(id)}`, {
      ...fields,
      "@metadata": { "@collection": collection },
    });
  await store("products/1-A", { name: "a" }, "Products");
  await store("products/käse 😀", {}, "Products");
  await store("products/9-A", { text: "TOP-SECRET" }, "Secrets");
  await store("notes/1-A", {}, "Notes");
  await store("files/1-A", {}, "Files");
  await store("secrets/1-A", { text: "TOP-SECRET" }, "Secrets");
  await store("orders/777-A", { text: "TOP-SECRET" }, "Secrets");
  const links = {
    product: "products/1-A",
    part: "products",
    secret: "secrets/1-A",
    counter: "Raven/Hilo/orders",
  };
  await store("orders/1-A", links, "Orders");
  return { ...made, ask: (request) => raw(made.url, request) };
}

/** A lease through the gateway, with the fence as the client composes it. */
async function leased(ask, base, user) {
  const { text } = await ask(client(base).lease("orders", { headers: { "x-user": user } }));
  const [{ Result: range }, { Result: read }] = JSON.parse(text).Results;
  const metadata = read.Results[0]["@metadata"];
  return {
    low: range.Low,
    high: range.High,
    fence: `${metadata["@change-vector"]} ${metadata["@last-modified"]}`,
  };
}

test("accepted requests get the expected responses", options, async (t) => {
  const { base, wire, ask } = await prepared(t);
  const rows = allowed(client(base));
  for (const [name, request, status, holds = () => true] of rows) {
    wire.requests.length = 0;
    const response = await ask(request);
    assert.equal(response.status, status, `${name}: ${response.text}`);
    if (response.text) assert.ok(holds(JSON.parse(response.text)), `${name}: ${response.text}`);
    assert.ok(!response.text.includes("TOP-SECRET"), name);
    assert.ok(!/ at (Raven|System)\./.test(response.text), `${name}: a stack trace`);
    assert.ok(wire.requests.length <= 1, `${name}: ${wire.requests.length} requests`);
    assertClean(name, response, wire);
  }
  assert.equal((await document(ravendb, base, "orders/777-A")).text, "TOP-SECRET");
  t.diagnostic(`${rows.length} requests`);
});

test("refused requests never reach the server", options, async (t) => {
  const { base, wire, ask } = await prepared(t);
  // This lease belongs to another client, so that 0 is in no range of the caller.
  await otherLease(ravendb, base, "orders");
  const ann = await leased(ask, base, "ann");
  const bob = await leased(ask, base, "bob");
  const other = await otherLease(ravendb, base, "orders");
  const metadata = (await document(ravendb, base, "Raven/Hilo/orders"))["@metadata"];
  const vector = metadata["@change-vector"];
  const fresh = { max: other.High, vector, fence: `${vector} ${metadata["@last-modified"]}` };
  const rows = refused(client(base), { ann, bob, fresh });
  wire.requests.length = 0;
  for (const [name, request, type, begins] of rows) {
    const response = await ask(request);
    const error = JSON.parse(response.text || "{}");
    assert.equal(error.Type, `RavenEdge.Gateway.${type}`, `${name}: ${response.status} ${response.text}`);
    assert.deepEqual(Object.keys(error), ["Url", "Type", "Message", "Error"], name);
    assert.equal(error.Error, error.Message, "no stack trace");
    if (!begins)
      assert.equal(wire.requests.length, 0, `${name}: ${wire.requests[0]?.target} ${wire.requests[0]?.body}`);
    assertClean(name, response, wire);
    wire.requests.length = 0;
  }
  assert.equal(await counter(ravendb, base, "orders"), other.High, "no counter was moved");
  assert.ok(await document(ravendb, base, "secrets/1-A"));
  const file = await document(ravendb, base, "files/1-A");
  assert.equal(file["@metadata"]["@attachments"], undefined, "what began was not carried out");
  t.diagnostic(`${rows.length} requests`);
});

/** Checks that the response has nothing of the upstream, and the request nothing of the caller. */
function assertClean(name, { headers, text }, wire) {
  const port = `:${new URL(wire.url).port}`;
  assert.ok(!JSON.stringify(headers).includes(port) && !text.includes(port), `${name}: the address`);
  for (const header of ["server", "raven-server-version", "request-time", "set-cookie"])
    assert.ok(!(header in headers), `${name}: ${header}`);
  for (const sent of wire.requests) {
    const strange = Object.keys(sent.headers).filter((header) => !SENT.has(header));
    assert.deepEqual(strange, [], `${name}: headers`);
  }
}

test("headers of the caller are not forwarded", options, async (t) => {
  const { base, wire, ask } = await prepared(t);
  const smuggled = {
    cookie: "session=1",
    authorization: "Bearer x",
    "proxy-authorization": "x",
    "x-forwarded-for": "10.0.0.1",
    "x-forwarded-host": "evil",
    "x-http-method-override": "DELETE",
    "raven-client-version": "99.0.0.0",
    "if-none-match": '"x"',
    "topology-etag": '"1"',
    te: "trailers",
    "accept-encoding": "gzip",
    range: "bytes=0-1",
    origin: "https://app.example",
  };
  wire.requests.length = 0;
  const { status } = await ask({ ...client(base).get("id=products%2F1-A"), headers: smuggled });
  assert.equal(status, 200);
  const [sent] = wire.requests;
  for (const header of Object.keys(smuggled)) {
    if (header !== "accept-encoding") assert.equal(sent.headers[header], undefined, header);
  }
});

test("a return is applied once, with its token", options, async (t) => {
  const { base, ask, wire } = await prepared(t);
  const ann = await leased(ask, base, "ann");
  assert.equal(await counter(ravendb, base, "orders"), ann.high);
  const { batch, patch, several, part } = client(base);
  const headers = { "x-user": "ann" };
  const request = batch([patch("orders", ann.fence, ann.high, ann.low + 2)], headers);
  const status = ({ text }) => JSON.parse(text).Results[0].PatchStatus;
  const first = await ask(request);
  assert.equal(status(first), "Patched");
  assert.ok(!/A:\d/.test(first.text), "no new fence");
  assert.equal(await counter(ravendb, base, "orders"), ann.low + 2);
  assert.equal(status(await ask(request)), "NotModified", "a second delivery changes nothing");
  assert.ok(
    !wire.requests.some(({ body }) => body.includes(ann.fence)),
    "the token is valid at the gateway only",
  );
  const next = await leased(ask, base, "ann");
  const Content = { Commands: [patch("orders", next.fence, next.high, next.low - 1)] };
  const beacon = await ask(
    several([part("bulk_docs", "", { Method: "POST", Content })], {
      ...headers,
      "content-type": "text/plain",
    }),
  );
  assert.equal(JSON.parse(beacon.text).Results[0].Result.Results[0].PatchStatus, "Patched");
  assert.equal(
    await counter(ravendb, base, "orders"),
    next.low - 1,
    "an unused range is returned completely",
  );
});

test("pages of allowed origins may send and read", options, async (t) => {
  const { base, wire, ask } = await prepared(t, { credentials: true });
  const page = { origin: "https://app.example" };
  wire.requests.length = 0;
  const path = `/raven/databases/${base}/bulk_docs`;
  const asking = {
    ...page,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-user",
  };
  const may = await ask({ method: "OPTIONS", path, headers: asking });
  assert.equal(may.status, 204);
  assert.equal(may.headers["access-control-allow-origin"], "https://app.example");
  assert.match(may.headers["access-control-allow-headers"], /Content-Type.*X-User/);
  assert.match(may.headers["access-control-allow-methods"], /PUT/);
  assert.equal(may.headers.vary, "Origin");
  assert.equal(wire.requests.length, 0);
  const read = await ask(client(base).get("id=products%2F1-A", page));
  assert.match(read.headers["access-control-expose-headers"], /ETag.*Database-Cluster-Tx-Id/);
  assert.equal(read.headers["access-control-allow-credentials"], "true");
  assert.ok(read.headers.etag && read.headers["database-cluster-tx-id"]);
  assert.equal(read.headers["cache-control"], "no-store");
  const no = await ask(client(base).get("id=secrets%2F1-A", page));
  assert.equal(
    no.headers["access-control-allow-origin"],
    "https://app.example",
    "a page can read refusals too",
  );
  const foreign = await ask(client(base).get("id=products%2F1-A", { origin: "https://evil.example" }));
  assert.equal(foreign.headers["access-control-allow-origin"], undefined);
  assert.equal(foreign.headers.vary, "Origin");
});
