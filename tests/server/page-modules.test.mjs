// A page fetches only the WebAssembly module that it needs, whatever source of ids a store names.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";
import { build } from "esbuild";
import { HiLoStore } from "../../pkg/dist/entries/hilo/web.js";
import { DocumentStore } from "../../pkg/dist/entries/web.js";
import { after } from "../support/cleanup.mjs";
import { GRANT, leased } from "../support/scripted-server.mjs";
import { database, onServers } from "../support/server.mjs";

/** The names of the modules that were fetched; a process fetches each once. */
const modules = [];
const { fetch } = globalThis;
// A page has one; Node 20 has not.
globalThis.navigator ??= {};
// Node's own cannot read files.
globalThis.fetch = async (url, init) => {
  if (new URL(url).protocol !== "file:") return fetch(url, init);
  modules.push(basename(fileURLToPath(url)));
  return new Response(await readFile(url), { headers: { "content-type": "application/wasm" } });
};

onServers("a page fetches one module for all sources, and stores of all modules work", async (t, server) => {
  const name = await database(t, server);
  const ids = async (source) => {
    const taken = [];
    for (const Store of [DocumentStore, HiLoStore]) {
      const store = new Store(server.url, name, { source }).initialize();
      taken.push(await store.hilo("orders").next());
      await store.dispose();
    }
    return taken;
  };
  assert.deepEqual(await ids(), ["orders/1-A", "orders/2-A"]);
  assert.deepEqual(await ids({ lease: () => ({ low: 7, high: 9 }) }), ["orders/7", "orders/7"]);
  assert.deepEqual(await ids("server"), ["orders/3-A", "orders/4-A"]);
  const hi = { kind: "classic", next: () => 2, capacity: 10 };
  assert.deepEqual(await ids(hi), ["orders/11", "orders/11"]);
  assert.deepEqual(modules, ["raven_edge_bg.wasm", "raven_edge_hilo_bg.wasm"]);
});

test("in esbuild's default format, an ordinary script, where no module has a URL, the module inside the script is used", async (t) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { DocumentStore } from "./pkg/lib/entries/web.js";
        import { HiLoStore } from "./pkg/lib/entries/hilo/web.js";
        globalThis.stores = { DocumentStore, HiLoStore };`,
      resolveDir: fileURLToPath(new URL("../../", import.meta.url)),
    },
    bundle: true,
    write: false,
    // esbuild warns that the URL is missing.
    logLevel: "error",
  });
  runInThisContext(outputFiles[0].text);
  const fetch = async () => new Response(leased(GRANT));
  for (const Store of Object.values(globalThis.stores))
    for (const [source, id] of [
      ["server", "orders/1-A"],
      [{ lease: () => ({ low: 7, high: 9 }) }, "orders/7"],
    ]) {
      const store = new Store("http://ravendb.example", "Shop", { fetch, source });
      after(t, () => store.dispose());
      assert.equal(await store.initialize().hilo("orders").next(), id);
    }
});
