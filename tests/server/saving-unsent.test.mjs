// The outcome "not saved" is reported only if it is certain that nothing was sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, onServers, order } from "../support/server.mjs";
import { events, failure, open, prepared } from "../support/store.mjs";

/** A session with a new document under the app's own id, which cannot be read back. */
async function storing(t, urls, name, options) {
  const store = open(t, urls, name, options);
  const session = store.openSession();
  await session.store(order({ n: 1 }), "orders/mine");
  return { store, session };
}

onServers("if the first address has a blocked port, the next one is used", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const { store, session } = await storing(t, ["http://127.0.0.1:1", wire.url], name);
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 1);
  assert.equal((await document(server, name, "orders/mine")).n, 1);
  assert.equal((await store.openSession().load("orders/mine")).n, 1);
  const other = open(t, ["http://127.0.0.1:1", wire.url], name);
  assert.equal((await other.openSession().load("orders/mine")).n, 1);
});

onServers("if the first address is unreachable, the next one is used", async (t, server) => {
  const name = await database(t, server);
  const dead = await proxy(t, server.url);
  await dead.off();
  const { session } = await storing(t, [dead.url, server.url], name);
  await session.saveChanges();
  const other = open(t, [dead.url, server.url], name);
  assert.equal((await other.openSession().load("orders/mine")).n, 1);
});

test("if all addresses have blocked ports, nothing is saved, and the error says which address and why", async (t) => {
  const { store, session } = await storing(t, "http://127.0.0.1:1", "d");
  const requests = events(store, "beforeRequest");
  const error = await failure(session.saveChanges());
  assert.deepEqual(
    [error.code, error.name, error.outcome],
    ["Unreachable", "AllTopologyNodesDownException", "not saved"],
  );
  assert.match(error.message, /http:\/\/127\.0\.0\.1:1 .*forbids port 1$/);
  assert.deepEqual(requests.seen, [], "`fetch` is not called");
  assert.equal(session.advanced.hasChanges(), true);
});

onServers("the app's own `fetch` is called for any port", async (t, server) => {
  const name = await database(t, server);
  const own = (url, init) => fetch(url.replace("http://127.0.0.1:1/", `${server.url}/`), init);
  const { session } = await storing(t, "http://127.0.0.1:1", name, { fetch: own });
  await session.saveChanges();
  assert.equal((await document(server, name, "orders/mine")).n, 1);
});

onServers("an error of the headers function means that nothing was sent", async (t, server) => {
  const name = await database(t, server);
  const headers = () => {
    throw new Error("no token");
  };
  const { session } = await storing(t, server.url, name, { headers });
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["InvalidArgument", "not saved"]);
  assert.match(error.message, /no token/);
});

onServers(
  "a failed second attempt of the app's own `fetch` proves nothing about the first",
  async (t, server) => {
    const name = await database(t, server);
    const retrying = async (url, init) => {
      const response = await fetch(url, init);
      if (!url.includes("bulk_docs")) return response;
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
      });
    };
    const { session } = await storing(t, server.url, name, { fetch: retrying });
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
    assert.equal((await document(server, name, "orders/mine")).n, 1);
  },
);

/** Makes the platform report that it is offline. */
function offline(t) {
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { onLine: false }, configurable: true });
  t.after(() => {
    delete globalThis.navigator;
    if (before) Object.defineProperty(globalThis, "navigator", before);
  });
}

onServers("an offline page sends a read first, and nothing else if that fails", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  await session.store(order({ n: 1 }), "orders/mine");
  offline(t);
  wire.rule = () => "drop";
  const before = wire.requests.length;
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["Unreachable", "not saved"]);
  const methods = wire.requests.slice(before).map(({ method }) => method);
  assert.deepEqual(methods, ["GET", "GET"], "the read, and its repetition because the connection broke");
  wire.rule = undefined;
  await session.saveChanges();
  assert.equal((await document(server, name, "orders/mine")).n, 1, "a reachable server");
  assert.equal(session.advanced.numberOfRequests, 1, "the read does not count as a request of the session");
});

/** Responses that a proxy may send instead of RavenDB's, after it has forwarded a save. */
const INSTEAD = {
  "a 500 whose text is that of a refused connection": {
    status: 500,
    body: '{"Message":"connect ECONNREFUSED 10.0.0.1:8080"}',
  },
  "a page with status 200": { status: 200, body: "<html>Sign in</html>" },
  "a page with status 201": { status: 201, body: "<html>Sign in</html>" },
  "a page with status 401": { status: 401, body: "<html>Sign in</html>" },
  "a page with status 403": { status: 403, body: "<html>Forbidden</html>" },
  "a page with status 404": { status: 404, body: "<html>Not found</html>" },
  "an empty 409": { status: 409, body: "" },
  "a page with status 410": { status: 410, body: "<html>Gone</html>" },
  "a 429 without a type": { status: 429, body: "" },
};

for (const [what, { status, body }] of Object.entries(INSTEAD)) {
  onServers(`${what} in response to a save means that the outcome is unknown`, async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    wire.change = (response, request) => {
      if (isSave(request)) Object.assign(response, { status, headers: {}, body: Buffer.from(body) });
    };
    await session.store(order({ n: 1 }), "orders/mine");
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
    assert.equal((await document(server, name, "orders/mine")).n, 1);
    const fresh = order({ n: 2 });
    session.advanced.clear();
    await session.store(fresh);
    await session.saveChanges();
    assert.equal((await document(server, name, fresh.id)).n, 2, "new documents are read back");
    assert.equal(wire.of(isSave).length, 2, "each was sent once");
  });
}

onServers("a save that is redirected to a page has an unknown outcome", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  wire.rule = (request) => {
    if (isSave(request)) return { status: 302, headers: { location: "/portal" } };
    if (request.path === "/portal") return { status: 200, body: "<html>Sign in</html>" };
  };
  await session.store(order({ n: 1 }), "orders/mine");
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
});

onServers("a 410 of a proxy does not make a save go to the next node", async (t, server) => {
  const name = await database(t, server);
  const [first, second] = [await proxy(t, server.url), await proxy(t, server.url)];
  first.change = (response, request) => {
    if (isSave(request))
      Object.assign(response, { status: 410, headers: {}, body: Buffer.from("<html>Gone") });
  };
  const { session } = await storing(t, [first.url, second.url], name);
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.status, second.of(isSave).length], ["OutcomeUnknown", 410, 0]);
});
