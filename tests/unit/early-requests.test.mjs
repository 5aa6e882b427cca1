// Requests that leave before there is a core: each reply is handed over at most once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EarlyRequests } from "../../pkg/dist/device/page-requests.js";

const SERVER = 0;

/** Early requests of a store whose host counts what it sends. */
function made(given = {}) {
  const sent = [];
  const send = async (method, url, body) => {
    sent.push([method, url, body]);
    return [200, new Uint8Array(), "life"];
  };
  const conventions = { identityPartsSeparator: "/", disableTopologyUpdates: false };
  const store = {
    urls: ["/raven/"],
    database: "Shop",
    conventions,
    timeout: 1_000,
    events: {},
    ...given.store,
  };
  return { sent, early: new EarlyRequests({ kind: SERVER, ...given.source }, store, () => ({ send })) };
}

/** Runs with a `localStorage` of these entries. */
function stored(t, entries) {
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  const map = new Map(entries);
  const localStorage = {
    getItem: (name) => map.get(name) ?? null,
    setItem: (name, value) => map.set(name, value),
  };
  Object.defineProperty(globalThis, "localStorage", { value: localStorage, configurable: true });
  t.after(() => {
    if (before) Object.defineProperty(globalThis, "localStorage", before);
    else delete globalThis.localStorage;
  });
  return map;
}

test("the reply to an early lease is handed over once", async (t) => {
  stored(t, []);
  const { early, sent } = made();
  early.lease("orders", "key");
  assert.equal(early.send({ method: "POST", path: "/x", early: "orders" }), undefined);
  assert.equal(sent.length, 1, "what has left does not leave again");
  assert.match(sent[0][1], /^\/raven\/databases\/Shop\/multi_get\?nonce=\d+$/);
  let incarnation;
  const responded = (named) => {
    incarnation = named;
  };
  const [status] = await early.take("/ravenorders", 1_000, responded);
  assert.deepEqual([status, incarnation], [200, "life"]);
  assert.equal(early.take("/ravenorders", 1_000, responded), undefined);
});

test("an early lease is forgotten alone, or with all others", (t) => {
  stored(t, []);
  const { early, sent } = made();
  for (const tag of ["orders", "lines"]) early.lease(tag, tag);
  early.forget("orders");
  assert.equal(early.take("/ravenorders"), undefined);
  early.clear();
  assert.equal(early.take("/ravenlines"), undefined);
  assert.equal(sent.length, 2);
});

test("a noted record prevents an early lease, and the note has no content", (t) => {
  const map = stored(t, []);
  const { early, sent } = made();
  early.note("key");
  assert.deepEqual([...map], [["raven-edge key", ""]]);
  early.lease("orders", "key");
  assert.equal(sent.length, 0);
});

for (const [what, given, tag = "orders"] of [
  ["another source", { source: { kind: 1 } }],
  ["another separator", { store: { conventions: { identityPartsSeparator: "-" } } }],
  ["a database with a slash", { store: { database: "Sh/op" } }],
  ["a tag with a slash", {}, "orders/"],
  ["a tag with a space", {}, "or ders"],
  ["a store that is traced", { store: { events: { tracing: Promise.resolve() } } }],
])
  test(`with ${what} nothing leaves early`, (t) => {
    stored(t, []);
    const { early, sent } = made(given);
    early.lease(tag, "key");
    assert.equal(sent.length, 0);
  });

test("where nothing can be noted, nothing is leased early", () => {
  const { early, sent } = made();
  early.lease("orders", "key");
  assert.equal(sent.length, 0);
});
