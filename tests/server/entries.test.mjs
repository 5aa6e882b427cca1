// The other entries of the package in Node: ids alone, the module inside the script, the module from the app.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HiLoStore } from "../../pkg/hilo/node.js";
import { DocumentStore as InlineStore } from "../../pkg/inline.js";
import { DocumentStore as SessionStore } from "../../pkg/session/node.js";
import { DocumentStore as SlimStore, useModule } from "../../pkg/slim.js";
import { after } from "../support/cleanup.mjs";
import { kill } from "../support/kill.mjs";
import { isLease, isReturn, proxy } from "../support/proxy.mjs";
import { counter, database, document, onServers, order } from "../support/server.mjs";
import { events, open } from "../support/store.mjs";

const wasm = new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url);

function opened(t, Store, url, name, options) {
  const store = new Store(url, name, options);
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  after(t, () => store.dispose());
  return store;
}

async function saves(store, server, name) {
  const session = store.openSession();
  const entity = order({ total: 5 });
  await session.store(entity);
  await session.saveChanges();
  assert.equal((await document(server, name, entity.id)).total, 5);
}

// First, while no module was given yet.
test("`slim` without a module says what to do", () => {
  const store = new SlimStore("http://127.0.0.1:1", "Shop");
  assert.throws(() => store.initialize(), { code: "InvalidOperation", message: /useModule/ });
});

onServers(
  "`hilo`: ids are leased, handed out and given back, and there are no sessions",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = opened(t, HiLoStore, wire.url, name);
    const leased = events(store, "lease");
    const ids = store.hilo("orders");
    assert.equal(await ids.next(), "orders/1-A");
    assert.equal(ids.take(), "orders/2-A");
    assert.equal((await leased.next()).high, 32);
    assert.equal(store.openSession, undefined);
    assert.equal(store.execute, undefined);
    await store.dispose();
    assert.deepEqual([wire.of(isLease).length, wire.of(isReturn).length], [1, 1]);
    assert.equal(await counter(server, name, "orders"), 2);
    await assert.rejects(ids.next(), { code: "Disposed" });
  },
);

onServers("`session`: documents are saved and loaded, and there are no queries", async (t, server) => {
  const store = new SessionStore(server.url, await database(t, server)).initialize();
  const session = store.openSession();
  const saved = order({ total: 5 });
  await session.store(saved);
  await session.saveChanges();
  assert.equal(saved.id, "orders/1-A");
  const reader = store.openSession();
  assert.equal((await reader.load("orders/1-A")).total, 5);
  assert.equal(await reader.advanced.lazily.load("orders/1-A").getValue(), await reader.load("orders/1-A"));
  assert.deepEqual([reader.query, reader.advanced.rawQuery], [undefined, undefined]);
  await store.dispose();
});

onServers("`hilo` beside `raven-edge` in one process: no number twice", async (t, server) => {
  const name = await database(t, server);
  const stores = [opened(t, HiLoStore, server.url, name), open(t, server.url, name)];
  const ids = await Promise.all(
    Array.from({ length: 200 }, (_, turn) => stores[turn % 2].hilo("orders").next()),
  );
  assert.equal(new Set(ids).size, 200);
});

onServers(
  "an instance that dies takes those of other entries with it no more than a stranger's",
  async (t, server) => {
    const name = await database(t, server);
    const store = opened(t, HiLoStore, server.url, name);
    const other = open(t, server.url, name);
    const ids = store.hilo("orders");
    assert.equal(await ids.next(), "orders/1-A");
    await other.ready();
    kill();
    assert.equal(ids.take(), "orders/2-A", "what it has in memory is there as before");
    assert.equal(await other.hilo("orders").next(), "orders/33-A", "the one that died has begun anew");
  },
);

for (const [source, low] of [
  ["document", "orders/1"],
  [{ kind: "classic", capacity: 4, next: () => 3 }, "orders/9"],
  [{ lease: () => ({ low: 7, high: 9, nodeTag: "Z" }) }, "orders/7-Z"],
])
  onServers(
    `\`hilo\` leases from ${source.kind ?? (source.lease ? "a function" : source)}`,
    async (t, server) => {
      const store = opened(t, HiLoStore, server.url, await database(t, server), { source });
      assert.equal(await store.hilo("orders").next(), low);
    },
  );

onServers("`inline` saves a document", async (t, server) => {
  const name = await database(t, server);
  await saves(opened(t, InlineStore, server.url, name), server, name);
});

onServers("`slim` saves a document with the module that the app gives", async (t, server) => {
  const name = await database(t, server);
  useModule(Promise.resolve(new Uint8Array(readFileSync(wasm))));
  await saves(opened(t, SlimStore, server.url, name), server, name);
});
