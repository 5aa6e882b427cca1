// The other entries of the package in Node: `hilo` (ids only), `inline` (module inside the script), `slim` (module
// from the app).
import assert from "node:assert/strict";
import { test } from "node:test";
import { HiLoStore } from "../../pkg/dist/entries/hilo/node.js";
import { DocumentStore as InlineStore } from "../../pkg/dist/entries/inline.js";
import { DocumentStore } from "../../pkg/dist/entries/node.js";
import { DocumentStore as SessionStore } from "../../pkg/dist/entries/session/node.js";
import { DocumentStore as SlimStore } from "../../pkg/dist/entries/slim.js";
import { script } from "../support/child.mjs";
import { after } from "../support/cleanup.mjs";
import { kill } from "../support/kill.mjs";
import { isLease, isReturn, proxy } from "../support/proxy.mjs";
import { counter, database, document, onServers, order } from "../support/server.mjs";
import { events, storesOf } from "../support/store.mjs";

// The instance of pkg/lib is inside of its file; that of pkg/dist can be killed.
const { open } = storesOf(DocumentStore);

const wasm = new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url);
const slim = new URL("../../pkg/dist/entries/slim.js", import.meta.url);

function opened(t, Store, url, name, options) {
  const store = new Store(url, name, options);
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  after(t, () => store.dispose());
  return store;
}

// Must run first, before a module is given.
test("`slim` without a module fails with an error that names useModule", () => {
  const store = new SlimStore("http://127.0.0.1:1", "Shop");
  assert.throws(() => store.initialize(), { code: "InvalidOperation", message: /useModule/ });
});

test("`slim` in a Worker takes the module itself, and no promise of it", async () => {
  const { out, err } = await script(
    `Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" } });
    const { DocumentStore: Slim, useModule } = await import(${JSON.stringify(slim.href)});
    const { readFile } = await import("node:fs/promises");
    const module = WebAssembly.compile(await readFile(new URL(${JSON.stringify(wasm.href)})));
    const begin = () => {
      const store = new Slim("https://ravendb.example", "Shop").initialize();
      return [store.runtime.isolated, store.runtime.start()];
    };
    useModule(module);
    try {
      begin();
    } catch ({ code, message }) {
      console.log(code, message);
    }
    useModule(await module);
    console.log(...begin());`,
  );
  assert.deepEqual(
    out.trim().split("\n"),
    ["InvalidOperation in a Worker useModule() takes the module, not a promise", "true true"],
    err,
  );
});

test("`inline`, `slim` and `offline` work where the browser refuses access to all storage", async () => {
  const { out, err } = await script(
    `const refused = { get() { throw new DOMException("denied", "SecurityError"); } };
    for (const name of ["indexedDB", "localStorage", "BroadcastChannel"])
      Object.defineProperty(globalThis, name, refused);
    Object.defineProperty(globalThis, "navigator", { value: Object.defineProperty({}, "locks", refused) });
    const { readFileSync } = await import("node:fs");
    const { offline } = await import(${JSON.stringify(new URL("offline.js", slim).href)});
    const fetch = async () => Response.json({ Results: [{ n: 1, "@metadata": { "@id": "a/1", "@change-vector": "A:1" } }], Includes: {} });
    for (const entry of ["inline", "slim", "web"]) {
      const { DocumentStore, useModule } = await import(new URL(entry + ".js", ${JSON.stringify(slim.href)}));
      useModule?.(readFileSync(new URL(${JSON.stringify(wasm.href)})));
      const store = new DocumentStore("http://ravendb.example", "Shop", { fetch, offline: offline({ user: "ann" }) });
      store.initialize();
      const { n } = await store.openSession().load("a/1");
      const flushed = await store.offline.flush(1_000);
      const session = store.openSession();
      await session.store({}, "a/2");
      console.log(entry, n, flushed);
      await store.dispose();
    }`,
  );
  assert.deepEqual(out.trim().split("\n"), ["inline 1 true", "slim 1 true", "web 1 true"], err);
});

onServers("`hilo` leases, issues and returns ids, and has no sessions", async (t, server) => {
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
});

onServers("`session` saves and loads documents, and has no queries", async (t, server) => {
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

onServers("`hilo` and `raven-edge` in one process issue no number twice", async (t, server) => {
  const name = await database(t, server);
  const stores = [opened(t, HiLoStore, server.url, name), open(t, server.url, name)];
  const ids = await Promise.all(
    Array.from({ length: 200 }, (_, turn) => stores[turn % 2].hilo("orders").next()),
  );
  assert.equal(new Set(ids).size, 200);
});

onServers("the death of one entry's instance does not affect other entries", async (t, server) => {
  const name = await database(t, server);
  const store = opened(t, HiLoStore, server.url, name);
  const other = open(t, server.url, name);
  const ids = store.hilo("orders");
  assert.equal(await ids.next(), "orders/1-A");
  await other.ready();
  kill();
  assert.equal(ids.take(), "orders/2-A", "its numbers are still in memory");
  assert.equal(await other.hilo("orders").next(), "orders/33-A", "the dead one was replaced");
});

onServers("entries that share an instance share its replacement too", async (t, server) => {
  const name = await database(t, server);
  const stores = [open(t, server.url, name), opened(t, InlineStore, server.url, name)];
  const counters = stores.map((store) => store.hilo("orders"));
  for (const ids of counters) await ids.next();
  kill();
  assert.deepEqual(
    counters.map((ids) => ids.take()),
    [undefined, undefined],
  );
  const issued = [];
  for (let turn = 0; turn < 2; turn++) for (const ids of counters) issued.push(await ids.next());
  assert.deepEqual(
    issued,
    ["orders/65-A", "orders/97-A", "orders/66-A", "orders/98-A"],
    "neither of them starts another one",
  );
});

onServers("an entry that is first used after a death gets a living instance", async (t, server) => {
  const name = await database(t, server);
  await open(t, server.url, name).ready();
  kill();
  const { DocumentStore } = await import("../../pkg/dist/entries/inline.js?late");
  assert.equal(await opened(t, DocumentStore, server.url, name).hilo("orders").next(), "orders/1-A");
});

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

/** Saves a document with an entry, in a process where no other entry has loaded a module. */
async function savesAlone(t, server, entry, before = "") {
  const name = await database(t, server);
  const from = new URL(`../../pkg/dist/entries/${entry}.js`, import.meta.url).href;
  const { out, err } = await script(
    `import * as entry from ${JSON.stringify(from)};
    import { readFileSync } from "node:fs";
    ${before}
    const store = new DocumentStore(${JSON.stringify(server.url)}, ${JSON.stringify(name)});
    store.conventions.disableTopologyUpdates = true;
    store.initialize();
    const session = store.openSession();
    const order = { total: 5, "@metadata": { "@collection": "Orders" } };
    await session.store(order);
    await session.saveChanges();
    await store.dispose();
    console.log(order.id);`,
    { from },
  );
  assert.equal(out.trim(), "orders/1-A", err);
  assert.equal((await document(server, name, "orders/1-A")).total, 5);
}

onServers("`inline` saves a document", (t, server) => savesAlone(t, server, "inline"));

onServers("`slim` saves a document with the module that the app gives", (t, server) => {
  const bytes = `new Uint8Array(readFileSync(new URL(${JSON.stringify(wasm.href)})))`;
  return savesAlone(t, server, "slim", `entry.useModule(Promise.resolve(${bytes}));`);
});

for (const [what, bytes] of [
  ["bytes", "new Uint8Array(8)"],
  ["a promise of bytes", "Promise.resolve(new Uint8Array(8))"],
])
  test(`\`slim\` with ${what} that are not a module fails with LoadFailed, and a valid one can be given afterwards`, async () => {
    const { out, err } = await script(
      `import { useModule } from ${JSON.stringify(slim.href)};
      import { readFileSync } from "node:fs";
      const store = new DocumentStore("http://127.0.0.1:1", "Shop");
      useModule(${bytes});
      try {
        store.initialize();
        await store.ready();
      } catch (error) {
        console.log(error.code);
      }
      useModule(new Uint8Array(readFileSync(new URL(${JSON.stringify(wasm.href)}))));
      await store.ready();
      console.log("ready");`,
      { from: slim.href },
    );
    assert.deepEqual(out.trim().split("\n"), ["LoadFailed", "ready"], err);
  });
