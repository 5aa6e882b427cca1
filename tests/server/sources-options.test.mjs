// The values that the options `source` and `capacity` accept, and those that are refused before anything is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { database, document, onServers } from "../support/server.mjs";
import { DocumentStore, events, open } from "../support/store.mjs";

const next = () => 1;
const lease = () => ({ low: 1, high: 9 });

for (const [what, source] of [
  ["an unknown name", "hilo"],
  ["a number", 5],
  ["an empty object", {}],
  ["classic without next", { kind: "classic", capacity: 3 }],
  ["classic without capacity", { kind: "classic", next }],
  ["a capacity of 0", { kind: "classic", next, capacity: 0 }],
  ["a capacity that is a fraction", { kind: "classic", next, capacity: 1.5 }],
  ["a capacity above a million", { kind: "document", capacity: 1_048_577 }],
  ["an unknown spelling", { kind: "document", spelling: "Raven/HILO" }],
  ["lease that is no function", { lease: 5 }],
  ["release that is no function", { lease, release: 5 }],
  ["an empty scope", { lease, scope: "" }],
  ["a scope that is no text", { lease, scope: 5 }],
]) {
  test(`source: ${what} is refused`, () => {
    const store = new DocumentStore("http://127.0.0.1:9", "Shop", { source });
    assert.throws(() => store.initialize(), { code: "InvalidArgument" });
  });
}

for (const capacity of [0, -1, 1.5, "3", Number.NaN, { orders: 0 }]) {
  test(`capacity: ${JSON.stringify(capacity)} is refused`, () => {
    const store = new DocumentStore("http://127.0.0.1:9", "Shop", { capacity });
    assert.throws(() => store.initialize(), { code: "InvalidArgument" });
  });
}

test("an empty `source` means the server", () => {
  for (const source of [undefined, null, "server", { kind: "server" }])
    new DocumentStore("http://127.0.0.1:9", "Shop", { source, capacity: undefined }).initialize();
});

for (const source of ["server", "document"]) {
  onServers(`capacity by collection is case-insensitive, for the source ${source}`, async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name, { source, capacity: { ORDERS: 100 } });
    const leased = events(store, "lease");
    await store.hilo("orders").next();
    await store.hilo("lines").next();
    const sizes = leased.seen.map(({ tag, low, high }) => [tag, high - low + 1]);
    assert.deepEqual(Object.fromEntries(sizes), { orders: 100, lines: 32 });
    assert.equal((await document(server, name, "Raven/Hilo/orders")).Max, 100);
  });
}

test("a lease for many concurrent callers is larger than the capacity", async (t) => {
  const asked = [];
  let at = 0;
  const source = {
    lease(_, size) {
      asked.push(size);
      at += size;
      return { low: at - size + 1, high: at };
    },
  };
  const store = open(t, "http://127.0.0.1:9", "Shop", { source, capacity: 5 });
  await Promise.all(Array.from({ length: 12 }, () => store.hilo("orders").next()));
  assert.deepEqual(asked, [12]);
});
