// The scenarios of `scenarios.mjs` in Chromium and in workerd, with the real RavenDB behind a proxy.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { bulk, note, served } from "../support/callers.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { becomes } from "../support/pages.mjs";
import { proxy } from "../support/proxy.mjs";
import { serve } from "../support/serve.mjs";
import { database, document, LIMIT, missing, putDocument, ravendb, send } from "../support/server.mjs";
import { workerd } from "../support/workerd.mjs";
import { SCENARIOS } from "./scenarios.mjs";

const folder = process.env.RUST_SESSIONS;
const skip = missing(ravendb) || (!folder && "no RUST_SESSIONS");

/** A promise that is resolved when the server has the next save, or request of this path. Unless it `responds`, the client never gets the response. */
function saved({ responds, path = /bulk_docs/ }) {
  const { fetch } = globalThis;
  return new Promise((resolve) => {
    globalThis.fetch = async (request) => {
      const response = await fetch(request);
      if (!path.test(request.url)) return response;
      globalThis.fetch = fetch;
      resolve();
      return responds ? response : new Promise(() => {});
    };
  });
}

/** Runs a scenario in the program; returns its result as JSON. */
async function run({ index, base, raven, addresses, timeout }) {
  const store = new Store(addresses, base, timeout);
  const next = () => fetch(`${raven}/next-phase`);
  const withCounters = () => Store.withCounters(raven, base);
  try {
    return JSON.stringify(
      (await RUNS[index](store, next, { saved, withCounters, change: CHANGES[index] })) ?? null,
    );
  } finally {
    await store.dispose();
  }
}

const list = (functions) => `[${functions.map(String).join(",\n")}]`;
const program = `
  const RUNS = ${list(SCENARIOS.map(({ run }) => run))};
  const CHANGES = ${list(SCENARIOS.map(({ change }) => change))};
  ${saved}
  ${run}`;

/** Chromium sends a request again by itself if a connection that it has used before ends. */
const close = { connection: "close" };

/** The page's device forgets the numbers of a database, which begins anew. */
function forget() {
  return new Promise((resolve) => {
    const opening = indexedDB.open("raven-edge");
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("ranges", "readwrite");
      transaction.objectStore("ranges").clear();
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}

/** Deletes the documents of a database, and its counters: a database for each scenario would take longer than the scenarios. */
async function empty(base) {
  const { json } = await send(ravendb.url, "GET", `/databases/${base}/docs?pageSize=1000&metadataOnly=true`);
  const Commands = json.Results.map((found) => ({
    Type: "DELETE",
    Id: found["@metadata"]["@id"],
    ChangeVector: null,
  }));
  const { status } = await send(ravendb.url, "POST", `/databases/${base}/bulk_docs`, { Commands });
  assert.equal(status, 201);
}

async function page(t, wire) {
  const text = `<!doctype html><meta charset=utf-8><title>sessions</title><script type=module>
    import init, { Store } from "/rust_sessions.js";
    ${program}
    await init();
    globalThis.run = run;
  </script>`;
  const site = await serve(t, { folder, pages: { "/": text }, headers: close, raven: wire.url });
  const { problems, open } = await profile(t);
  const tab = await open(site.url);
  await tab.waitForFunction(() => globalThis.run);
  const call = async (scenario) => {
    const result = await tab.evaluate((scenario) => globalThis.run(scenario), scenario);
    assert.deepEqual(problems, [], "no uncaught errors");
    await tab.evaluate(forget);
    return result;
  };
  return { call, raven: "/raven" };
}

async function worker(t, wire) {
  const text = `
    import { initSync, Store } from "./rust_sessions.js";
    import module from "./rust_sessions_bg.wasm";
    ${program}
    initSync({ module });
    export default {
      async fetch(request) {
        try {
          return new Response(await run(await request.json()));
        } catch (error) {
          return new Response(error.stack, { status: 500 });
        }
      },
    };`;
  const { url } = await workerd(t, { text, resolveDir: folder, compatibilityDate: "2026-04-01" });
  const call = async (scenario) => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(scenario) });
    const result = await response.text();
    assert.equal(response.status, 200, result);
    return result;
  };
  return { call, raven: wire.url };
}

/** Leases and returns go to the counter's document. */
const isSave = ({ path, body }) => path.endsWith("/bulk_docs") && !body.includes("Raven/Hilo");
const isRead = ({ path, method }) => path.endsWith("/docs") && method === "POST";
const isStream = ({ path }) => path.endsWith("/streams/queries");

/** Directs the proxy through the phases of a scenario. */
async function direct(wire, base, phases = []) {
  const tools = {
    saves: () => wire.of(isSave).length,
    put: (id, document) => putDocument(ravendb, base, id, orderOf(document)),
    // As if it had arrived late.
    arrive: async (at) => {
      const { path, body } = wire.of(isSave)[at];
      assert.equal((await send(ravendb.url, "POST", path, body)).status, 201);
    },
  };
  let now = -1;
  const begin = async () => {
    now++;
    await phases[now]?.enter?.(tools);
  };
  wire.requests.length = 0;
  wire.rule = async (request) => {
    if (request.path === "/next-phase") {
      await begin();
      return { status: 204, headers: close };
    }
    const { all, save, read, stream } = phases[now] ?? {};
    let rule = (isSave(request) && save) || (isRead(request) && read) || (isStream(request) && stream) || all;
    if (typeof rule === "function") rule = await rule(tools);
    return rule?.status ? { ...rule, headers: close } : rule;
  };
  wire.change = (response, request) => {
    const { instead, results } = (isSave(request) && phases[now]) || {};
    if (instead) Object.assign(response, { ...instead, body: Buffer.from(instead.body) });
    if (results) {
      const { Results } = JSON.parse(response.body);
      response.body = Buffer.from(JSON.stringify({ Results: results(Results) }));
    }
    Object.assign(response.headers, close);
  };
  await begin();
}

const orderOf = (document) => ({ ...document, "@metadata": { "@collection": "Orders" } });

for (const [place, begin] of Object.entries({ page, worker }))
  test(`in a ${place}`, {
    skip: skip || (begin === page && missingChromium),
    timeout: 10 * LIMIT,
  }, async (t) => {
    const wire = await proxy(t, ravendb.url);
    const { call, raven } = await begin(t, wire);
    const base = await database(t, ravendb);
    for (const [index, scenario] of SCENARIOS.entries())
      await t.test(scenario.name, { timeout: LIMIT }, async () => {
        const { documents = {}, stored = {}, timeout = 30_000, addresses = (url) => url } = scenario;
        await empty(base);
        for (const [id, document] of Object.entries(documents))
          await putDocument(ravendb, base, id, orderOf(document));
        await direct(wire, base, scenario.phases);
        const result = await call({ index, base, raven, addresses: addresses(raven), timeout });
        assert.deepEqual(JSON.parse(result), JSON.parse(JSON.stringify(scenario.expected ?? null)));
        const saves = wire.of(isSave);
        if (scenario.saves !== undefined) assert.equal(saves.length, scenario.saves, "how often it was sent");
        if (scenario.unsent) assert.doesNotMatch(saves.at(-1).body, scenario.unsent);
        for (const [id, n] of Object.entries(stored))
          assert.equal((await document(ravendb, base, id))?.n, n, id);
        if (scenario.max) await becomes(base, scenario.max);
      });
  });

test("a save sends a patch by name through a gateway, and the entity follows", {
  skip,
  timeout: LIMIT,
}, async (t) => {
  const { url, base } = await served(t, ravendb);
  await bulk(ravendb, base, { "notes/1": note("ann", { n: 1 }), "notes/2": note("bob", { n: 2 }) });
  const { initSync, Store } = await import(pathToFileURL(join(folder, "rust_sessions.js")));
  initSync({ module: readFileSync(join(folder, "rust_sessions_bg.wasm")) });
  const store = Store.asCaller(url, base, "ann");
  const session = store.session();
  const at = await session.load("notes/1");
  session.addLine("notes/1", 7);
  session.addLine("notes/2", 8);
  assert.deepEqual([await session.save(), session.reload(at), session.n(at)], ["saved", true, 1]);
  const [mine, theirs] = [await document(ravendb, base, "notes/1"), await document(ravendb, base, "notes/2")];
  assert.deepEqual([mine.lines, theirs.lines], [[{ by: "ann", n: 7 }], undefined]);
  await store.dispose();
});
