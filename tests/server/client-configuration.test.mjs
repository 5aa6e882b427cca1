// Read balancing, and the client configuration of a database. RavenDB stores a client configuration only with a
// licence, so these tests modify its responses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore } from "../../pkg/lib/entries/node.js";
import { database, missing, order, ravendb } from "../support/server.mjs";

/** The same server under two host names. */
const urls = [ravendb.url, ravendb.url?.replace("127.0.0.1", "localhost")];

async function open(t, conventions, alter = (_url, response) => response) {
  const seen = [];
  const store = new DocumentStore(urls, await database(t, ravendb), {
    fetch: async (url, init) => {
      seen.push([new URL(url).hostname, init.method, new URL(url).pathname.split("/").at(-1), init.headers]);
      return alter(url, await fetch(url, init));
    },
  });
  Object.assign(store.conventions, { disableTopologyUpdates: true, ...conventions });
  t.after(() => store.dispose());
  return { store: store.initialize(), seen };
}

const hosts = (seen, route) => seen.filter(([, , path]) => path === route).map(([host]) => host);

test("RoundRobin distributes the reads of sessions, but not writes and leases", {
  skip: missing(ravendb),
}, async (t) => {
  const { store, seen } = await open(t, { readBalanceBehavior: "RoundRobin" });
  for (let turn = 0; turn < 3; turn++) {
    const session = store.openSession();
    await session.load("a/1");
    await session.query({ collection: "Orders" }).all();
    await session.store(order());
    await session.saveChanges();
  }
  const [one, two] = ["127.0.0.1", "localhost"];
  assert.deepEqual(hosts(seen, "docs"), [one, two, one]);
  assert.deepEqual(hosts(seen, "queries"), [one, two, one]);
  assert.deepEqual(hosts(seen, "bulk_docs"), [one, one, one]);
  assert.deepEqual(hosts(seen, "multi_get"), [one]);
});

test("an unsupported readBalanceBehavior is refused", () => {
  const store = new DocumentStore("http://127.0.0.1:1", "x");
  store.conventions.readBalanceBehavior = "FastestNode";
  assert.throws(() => store.initialize(), { code: "Unsupported" });
});

test("the client configuration is read when a response says that it has changed", {
  skip: missing(ravendb),
}, async (t) => {
  let wanted;
  let read;
  const refreshed = new Promise((resolve) => {
    read = resolve;
  });
  const { store, seen } = await open(t, {}, (url, response) => {
    if (url.endsWith("/configuration/client")) {
      // The response is processed before anything else is sent.
      setImmediate(read);
      return Response.json(wanted);
    }
    const headers = new Headers(response.headers);
    if (wanted) headers.set("Refresh-Client-Configuration", "true");
    return new Response(response.body, { status: response.status, headers });
  });
  await store.openSession().load("a/1");
  wanted = {
    Etag: 7,
    Configuration: { Disabled: false, MaxNumberOfRequestsPerSession: 2, ReadBalanceBehavior: "RoundRobin" },
  };
  await store.openSession().load("a/1");
  await refreshed;
  wanted = undefined;
  seen.length = 0;
  const sessions = [store.openSession(), store.openSession()];
  for (const session of sessions) await session.load("a/1");
  assert.equal(sessions[0].advanced.maxNumberOfRequestsPerSession, 2);
  assert.equal(new Set(hosts(seen, "docs")).size, 2);
  assert.deepEqual(
    seen.map(([, , , headers]) => headers.get("Client-Configuration-Etag")),
    ['"7"', '"7"'],
  );
});
