// The response cache: every read asks the server, which does not send unchanged documents again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore } from "../../pkg/lib/entries/node.js";
import { database, missing, ravendb, send } from "../support/server.mjs";

/** A store, and its responses: the status of each, and whether the request was conditional. */
async function open(t, conventions = {}, alter = (response) => response) {
  const name = await database(t, ravendb);
  const seen = [];
  const store = new DocumentStore(ravendb.url, name, {
    fetch: async (url, init) => {
      const response = await alter(await fetch(url, init));
      if (/docs\?|queries/.test(url))
        seen.push([response.status, init.headers.get("If-None-Match") !== null]);
      return response;
    },
  });
  Object.assign(store.conventions, { disableTopologyUpdates: true, ...conventions });
  t.after(() => store.dispose());
  return { store: store.initialize(), seen, name };
}

const put = (server, name, id, body) =>
  send(server.url, "PUT", `/databases/${name}/docs?id=${encodeURIComponent(id)}`, body);
const load = (store, id = "a/1") => store.openSession().load(id);
const query = (store) => store.openSession().query({ collection: "As" }).waitForNonStaleResults();

test("a load that gets a 304 has the same result", { skip: missing(ravendb) }, async (t) => {
  const { store, seen, name } = await open(t);
  await put(ravendb, name, "a/1", { name: "first", "@metadata": { "@collection": "As" } });
  const first = await load(store);
  first.name = "changed by the app";
  assert.equal((await load(store)).name, "first");
  await put(ravendb, name, "a/1", { name: "second", "@metadata": { "@collection": "As" } });
  assert.equal((await load(store)).name, "second");
  assert.equal((await load(store)).name, "second");
  assert.deepEqual(seen, [
    [200, false],
    [304, true],
    [200, true],
    [304, true],
  ]);
});

test("a query gets a 304 until its index has changed", { skip: missing(ravendb) }, async (t) => {
  const { store, seen, name } = await open(t);
  const names = async (wanted) => (await query(store).whereEquals("name", wanted).all()).map(({ id }) => id);
  await put(ravendb, name, "a/1", { name: "x", "@metadata": { "@collection": "As" } });
  assert.deepEqual(await names("x"), ["a/1"]);
  assert.deepEqual(await names("x"), ["a/1"]);
  // A different query has the same ETag.
  assert.deepEqual(await names("y"), []);
  await put(ravendb, name, "a/2", { name: "x", "@metadata": { "@collection": "As" } });
  assert.deepEqual((await names("x")).sort(), ["a/1", "a/2"]);
  assert.deepEqual(
    seen.map(([status]) => status),
    [200, 304, 200, 200],
  );
  await query(store).whereEquals("name", "x").noCaching().all();
  assert.deepEqual(seen.at(-1), [200, false]);
});

test("a session with noCaching requests everything anew", { skip: missing(ravendb) }, async (t) => {
  const { store, seen, name } = await open(t);
  await put(ravendb, name, "a/1", { name: "x", "@metadata": { "@collection": "As" } });
  await load(store);
  const session = store.openSession({ noCaching: true });
  const other = store.openSession();
  // The option of one session must not apply to requests of another one that are sent at the same time.
  await Promise.all([session.load("a/1"), other.load("a/1")]);
  await session.advanced.loadStartingWith("a/");
  await session.query({ collection: "As" }).waitForNonStaleResults().all();
  await session.query({ collection: "As" }).waitForNonStaleResults().all();
  assert.deepEqual(seen.map(([status, isConditional]) => `${status} ${isConditional}`).sort(), [
    "200 false",
    "200 false",
    "200 false",
    "200 false",
    "200 false",
    "304 true",
  ]);
});

test("nothing is cached if the app switches the cache off", { skip: missing(ravendb) }, async (t) => {
  const { store, seen, name } = await open(t, { maxHttpCacheSize: 0 });
  await put(ravendb, name, "a/1", { name: "x" });
  await load(store);
  await load(store);
  assert.deepEqual(seen, [
    [200, false],
    [200, false],
  ]);
});

test("the cache is limited in bytes and evicts the least recently used response", {
  skip: missing(ravendb),
}, async (t) => {
  const { store, seen, name } = await open(t, { maxHttpCacheSize: 8_000 });
  const filled = "x".repeat(1_200);
  for (const id of ["a/1", "a/2", "a/3", "a/4", "a/5", "a/6"]) await put(ravendb, name, id, { filled });
  await put(ravendb, name, "a/large", { filled: "x".repeat(4_000) });
  for (const id of ["a/1", "a/2", "a/3", "a/4", "a/1", "a/5", "a/6", "a/large", "a/large"])
    await load(store, id);
  seen.length = 0;
  for (const id of ["a/1", "a/6", "a/2"]) await load(store, id);
  assert.deepEqual(
    seen.map(([status]) => status),
    [304, 304, 200],
  );
});

for (const spelling of ["Raven/Hilo", "Raven/HiLo", "Replication/HiLo"]) {
  test(`counters are never cached: ${spelling}`, { skip: missing(ravendb) }, async (t) => {
    const asked = [];
    const store = new DocumentStore(ravendb.url, await database(t, ravendb), {
      source: { kind: "document", spelling },
      fetch: (url, init) => {
        asked.push([new URL(url).search, init.headers.get("If-None-Match")]);
        return fetch(url, init);
      },
    }).initialize();
    await store.hilo("as").next();
    await store.release();
    await store.hilo("as").next();
    await store.dispose();
    const reads = asked.filter(([search]) => search.includes(encodeURIComponent(spelling)));
    assert.ok(reads.length >= 2, "the counter was read twice");
    assert.deepEqual(
      reads.filter(([, etag]) => etag !== null),
      [],
    );
  });
}

test("responses of another incarnation of the database are not used", {
  skip: missing(ravendb),
}, async (t) => {
  let incarnation;
  const { store, seen, name } = await open(t, {}, (response) => {
    if (incarnation === undefined) return response;
    const headers = new Headers(response.headers);
    headers.set("Database-Cluster-Tx-Id", incarnation);
    return new Response(response.status === 304 ? null : response.body, { status: response.status, headers });
  });
  await put(ravendb, name, "a/1", { name: "x" });
  await load(store);
  incarnation = "restored";
  assert.equal((await load(store)).name, "x");
  assert.deepEqual(seen, [
    [200, false],
    [304, true],
    [200, false],
  ]);
});

test("an ETag that a proxy made weak is sent without the W/ prefix", {
  skip: missing(ravendb),
}, async (t) => {
  const weak = async (response) => {
    const headers = new Headers(response.headers);
    const etag = headers.get("ETag");
    if (etag) headers.set("ETag", `W/${etag}`);
    const body = response.status === 304 ? null : await response.arrayBuffer();
    return new Response(body, { status: response.status, headers });
  };
  const { store, seen, name } = await open(t, {}, weak);
  await put(ravendb, name, "a/1", { name: "first", "@metadata": { "@collection": "As" } });
  await load(store);
  assert.equal((await load(store)).name, "first");
  assert.deepEqual(seen, [
    [200, false],
    [304, true],
  ]);
});

test("a stream with an ETag does not change the cache", { skip: missing(ravendb) }, async (t) => {
  const tagged = async (response) => {
    if (!response.url.includes("/streams/")) return response;
    const headers = new Headers(response.headers);
    headers.set("ETag", '"1"');
    return Object.defineProperty(new Response(response.body, { headers }), "url", { value: response.url });
  };
  const { store, seen, name } = await open(t, {}, tagged);
  await put(ravendb, name, "a/1", { name: "first", "@metadata": { "@collection": "As" } });
  const session = store.openSession();
  for await (const _ of await session.advanced.stream("a/")) {
    // To its end.
  }
  seen.length = 0;
  await load(store);
  await load(store);
  assert.deepEqual(seen, [
    [200, false],
    [304, true],
  ]);
});
