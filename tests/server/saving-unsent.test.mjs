// "Not saved" is said where it is known that nothing was sent, and nowhere else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertSendable } from "../../pkg/lib/options.js";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, onServers, order } from "../support/server.mjs";
import { events, failure, open, prepared } from "../support/store.mjs";

/** https://fetch.spec.whatwg.org/#port-blocking */
const FORBIDDEN = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

test("the ports that are not sent to are those of the Fetch standard", async () => {
  const refused = (port) => {
    try {
      assertSendable(`http://127.0.0.1:${port}/databases/d/docs`);
      return false;
    } catch (error) {
      assert.match(error.message, new RegExp(`\\b${port}$`));
      return true;
    }
  };
  const ports = Array.from({ length: 65_536 }, (_, port) => port).filter(refused);
  assert.deepEqual(ports, FORBIDDEN);
  for (const port of ports.slice(1)) {
    const error = await failure(fetch(`http://127.0.0.1:${port}/`));
    assert.match(String(error.cause?.message), /bad port/, `Node agrees about ${port}`);
  }
});

/** A session with a new document under an id of the app's own, which nobody could read back. */
async function storing(t, urls, name, options) {
  const store = open(t, urls, name, options);
  const session = store.openSession();
  await session.store(order({ n: 1 }), "orders/mine");
  return { store, session };
}

onServers("a forbidden address comes first: the next one saves and loads", async (t, server) => {
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

onServers("a dead address comes first: the next one saves and loads", async (t, server) => {
  const name = await database(t, server);
  const dead = await proxy(t, server.url);
  await dead.off();
  const { session } = await storing(t, [dead.url, server.url], name);
  await session.saveChanges();
  const other = open(t, [dead.url, server.url], name);
  assert.equal((await other.openSession().load("orders/mine")).n, 1);
});

test("only forbidden addresses: nothing is saved, and the error says which address and why", async (t) => {
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

onServers("a `fetch` of the app's own is asked, whatever the port", async (t, server) => {
  const name = await database(t, server);
  const own = (url, init) => fetch(url.replace("http://127.0.0.1:1/", `${server.url}/`), init);
  const { session } = await storing(t, "http://127.0.0.1:1", name, { fetch: own });
  await session.saveChanges();
  assert.equal((await document(server, name, "orders/mine")).n, 1);
});

onServers("headers that the app cannot give: nothing was sent", async (t, server) => {
  const name = await database(t, server);
  const headers = () => {
    throw new Error("no token");
  };
  const { session } = await storing(t, server.url, name, { headers });
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["Unreachable", "not saved"]);
  assert.match(error.message, /no token/);
});

onServers(
  "a refused second attempt of the app's own `fetch` says nothing about its first",
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

/** For the time of a test the platform says that it is offline. */
function offline(t) {
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { onLine: false }, configurable: true });
  t.after(() => {
    delete globalThis.navigator;
    if (before) Object.defineProperty(globalThis, "navigator", before);
  });
}

onServers("an offline page: a read goes first, and if it fails nothing is sent", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  await session.store(order({ n: 1 }), "orders/mine");
  offline(t);
  wire.rule = () => "drop";
  const before = wire.requests.length;
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["Unreachable", "not saved"]);
  const methods = wire.requests.slice(before).map(({ method }) => method);
  assert.deepEqual(methods, ["GET", "GET"], "the read, and once more because the connection broke");
  wire.rule = undefined;
  await session.saveChanges();
  assert.equal(
    (await document(server, name, "orders/mine")).n,
    1,
    "a server that can be reached all the same",
  );
  assert.equal(session.advanced.numberOfRequests, 1, "the read is none of the session's");
});

/** What somebody in between may put in the place of RavenDB's response to a save that it has forwarded. */
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
  onServers(`after a save ${what} says nothing about it`, async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    wire.change = (answer, request) => {
      if (isSave(request)) Object.assign(answer, { status, headers: {}, body: Buffer.from(body) });
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

onServers("a page with status 410 does not send a save to the next node", async (t, server) => {
  const name = await database(t, server);
  const [first, second] = [await proxy(t, server.url), await proxy(t, server.url)];
  first.change = (answer, request) => {
    if (isSave(request)) Object.assign(answer, { status: 410, headers: {}, body: Buffer.from("<html>Gone") });
  };
  const { session } = await storing(t, [first.url, second.url], name);
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.status, second.of(isSave).length], ["OutcomeUnknown", 410, 0]);
});
