// Modules that are loaded on first use: in pages, and in service workers, which cannot load anything later.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { missingChromium, visit } from "../support/chromium.mjs";
import { fill } from "../support/fill.mjs";
import { serve } from "../support/serve.mjs";
import { database, document, missing, putDocument, ravendb } from "../support/server.mjs";
import { EXPECTED } from "../support/time-series-program.js";

const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));
const PAGE = "<!doctype html><meta charset=utf-8><title>raven-edge</title>";
/** Without a bundler a page also loads everything that an entry exports. */
const PART = /\/(rarely-used|document-iterator|named-calls)\.js/;

function inChromium(name, body) {
  test(name, { skip: missingChromium || missing(ravendb), timeout: 60_000 }, async (t) =>
    body(t, await database(t, ravendb)),
  );
}

/** A worker at `/worker.js` that runs `work` when it is installed and sends the result to the page. */
const worker = (entry, name, work) => `
import { DocumentStore } from "${entry}";
async function main() {
  const store = new DocumentStore("/raven", ${JSON.stringify(name)}).initialize();
  const result = await (${work})(store);
  await store.dispose();
  return result;
}
const result = main().catch(({ code, message }) => ({ code, message }));
addEventListener("install", (event) => event.waitUntil(result.then(async (data) => {
  for (const client of await clients.matchAll({ includeUncontrolled: true })) client.postMessage(data);
})));`;

/** The worker's result. */
async function inServiceWorker(t, entry, name, work) {
  const script = worker(entry, name, work);
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": PAGE },
    raven: ravendb.url,
    handlers: {
      "/worker.js": (_, response) =>
        response.writeHead(200, { "content-type": "text/javascript" }).end(script),
    },
  });
  const { page } = await visit(t, site.url);
  return page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
        navigator.serviceWorker.register("/worker.js", { type: "module" }).catch(reject);
      }),
  );
}

inChromium(
  "a page loads no part before its first save has completed, and each on first use",
  async (t, name) => {
    const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: ravendb.url });
    const { page, problems } = await visit(t, site.url);
    const parts = () => site.requests.filter((path) => PART.test(path));
    await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/lib/entries/web.js");
      globalThis.store = new DocumentStore("/raven", name).initialize();
      const session = globalThis.store.openSession();
      await session.store({ total: 5, "@metadata": { "@collection": "Orders" } });
      await session.saveChanges();
    }, name);
    assert.deepEqual(parts(), []);
    const found = await page.evaluate(async () => {
      const { advanced } = globalThis.store.openSession();
      const ids = [];
      for await (const { id } of advanced.stream("orders/")) ids.push(id);
      return ids;
    });
    assert.deepEqual(found, ["orders/1-A"]);
    assert.ok(parts().includes("/lib/parts/document-iterator.js"));
    assert.ok(!parts().includes("/lib/parts/rarely-used.js"));
    await page.evaluate(async () => {
      const session = globalThis.store.openSession();
      session.advanced.increment("orders/1-A", "total", 1);
      await session.saveChanges();
      await globalThis.store.dispose();
    });
    assert.ok(parts().includes("/lib/parts/rarely-used.js"));
    assert.equal((await document(ravendb, name, "orders/1-A")).total, 6);
    assert.deepEqual(problems, []);
  },
);

inChromium(
  "if a part cannot be loaded, the call that needs it fails before anything is sent",
  async (t, name) => {
    let isOff = true;
    const site = await serve(t, {
      folder: pkg,
      pages: { "/": PAGE },
      raven: ravendb.url,
      refuse: ({ url }) => isOff && PART.test(url),
    });
    await putDocument(ravendb, name, "orders/9-A", '{"exact":9007199254740993,"total":1}');
    const { page } = await visit(t, site.url);
    const failed = await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/lib/entries/web.js");
      globalThis.store = new DocumentStore("/raven", name).initialize();
      globalThis.rounded = globalThis.store.openSession();
      (await globalThis.rounded.load("orders/9-A")).total = 2;
      const session = globalThis.store.openSession();
      await session.store({ total: 5, "@metadata": { "@collection": "Orders" } }, "orders/1-A");
      await session.saveChanges();
      globalThis.patching = globalThis.store.openSession();
      globalThis.patching.advanced.increment("orders/1-A", "total", 1);
      const read = async () => {
        for await (const _ of session.advanced.stream("orders/"));
      };
      const calls = [
        globalThis.patching.saveChanges(),
        globalThis.rounded.saveChanges(),
        session.advanced.exists("orders/2-A"),
        read(),
      ];
      return Promise.all(calls.map((call) => call.catch(({ code, message }) => [code, message])));
    }, name);
    for (const [code, message] of failed) {
      assert.equal(code, "LoadFailed");
      assert.match(message, /raven-edge\/complete/);
    }
    assert.equal((await document(ravendb, name, "orders/1-A")).total, 5);
    isOff = false;
    await page.evaluate(() => globalThis.patching.saveChanges());
    assert.equal((await document(ravendb, name, "orders/1-A")).total, 6, "the session can save again");
    const refused = await page.evaluate(() => globalThis.rounded.saveChanges().catch(({ code }) => code));
    assert.equal(refused, "InexactNumber");
    assert.equal((await document(ravendb, name, "orders/9-A")).total, 1, "nothing was rounded");
  },
);

inChromium("a set tells once that its code cannot be loaded, and each call tries again", async (t, name) => {
  let isOff = true;
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": PAGE },
    raven: ravendb.url,
    refuse: ({ url }) => isOff && url.includes("parts/device-set"),
  });
  const { page } = await visit(t, site.url);
  const [codes, told] = await page.evaluate(async (name) => {
    const { DocumentStore } = await import("/lib/entries/web.js");
    const { offline } = await import("/lib/entries/offline.js");
    const sets = { orders: { collection: "Orders" } };
    const options = { offline: offline({ user: "ann", documents: {}, sets, automatic: false }) };
    globalThis.store = new DocumentStore("/raven", name, options).initialize();
    const set = globalThis.store.offline.set("orders");
    const codes = [];
    const told = [];
    const list = () => set.documents().catch(({ code }) => codes.push(code));
    // As an app shows what the set has after each event.
    set.on("error", ({ code }) => {
      told.push(code);
      if (told.length < 9) list();
    });
    for (let call = 0; call < 3; call++) await list();
    return [codes, told];
  }, name);
  assert.deepEqual(told, ["LoadFailed"]);
  assert.deepEqual([...new Set(codes)], ["LoadFailed"]);
  isOff = false;
  const after = await page.evaluate(async () => {
    const documents = await globalThis.store.offline.set("orders").documents();
    await globalThis.store.dispose();
    return documents;
  });
  assert.deepEqual(after, []);
});

inChromium("a page loads the code of named queries and patches with the first one", async (t, name) => {
  let isOff = true;
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": PAGE },
    raven: ravendb.url,
    refuse: ({ url }) => isOff && url.includes("named-calls"),
  });
  const { page } = await visit(t, site.url);
  const failed = await page.evaluate(async (name) => {
    const { DocumentStore } = await import("/lib/entries/web.js");
    const names = {
      queries: { all: { query: "from Orders" } },
      patches: {
        raise: { collection: "Orders", script: "this.total += $by", parameters: { by: { type: "number" } } },
      },
    };
    const store = new DocumentStore("/raven", name).named(names).initialize();
    const session = store.openSession();
    await session.store({ total: 5, "@metadata": { "@collection": "Orders" } }, "orders/1-A");
    await session.saveChanges();
    Object.assign(globalThis, { store, query: session.query({ named: "all" }), session });
    session.advanced.patch("orders/1-A", { named: "raise", parameters: { by: 2 } });
    const calls = [session.saveChanges(), globalThis.query.all()];
    return Promise.all(calls.map((call) => call.catch(({ code }) => code)));
  }, name);
  assert.deepEqual(failed, ["LoadFailed", "LoadFailed"]);
  isOff = false;
  const { found, refused } = await page.evaluate(async () => {
    const { store, query, session } = globalThis;
    await session.saveChanges();
    const found = await query.all();
    const loaded = store.openSession().query({ named: "all" });
    const call = () => loaded.whereEquals("total", 1);
    let refused;
    try {
      call();
    } catch ({ code }) {
      refused = code;
    }
    await store.dispose();
    return { found: found.map(({ total }) => total), refused };
  });
  assert.deepEqual([found, refused], [[7], "InvalidOperation"]);
  assert.ok(!site.requests.includes("/lib/parts/document-iterator.js"));
});

inChromium("time series whose code is loaded by the first calls of a page", async (t, name) => {
  const bundled = await build({
    stdin: { contents: `export { DocumentStore } from "./lib/entries/web.js";`, resolveDir: pkg },
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: "/app",
    write: false,
  });
  const files = bundled.outputFiles.map(({ path, text }) => [path, text]);
  const program = await readFile(new URL("../support/time-series-program.js", import.meta.url), "utf8");
  const script = (text) => (_, response) =>
    response.writeHead(200, { "content-type": "text/javascript" }).end(text);
  const handlers = Object.fromEntries(
    [...files, ["/program.js", program]].map(([path, text]) => [path, script(text)]),
  );
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, handlers, raven: ravendb.url });
  const { page, problems } = await visit(t, site.url);
  const seen = await page.evaluate(async (name) => {
    const { DocumentStore } = await import("/app/stdin.js");
    const { timeSeriesProgram } = await import("/program.js");
    const store = new DocumentStore("/raven", name).initialize();
    const found = await timeSeriesProgram(store);
    await store.dispose();
    return found;
  }, name);
  assert.deepEqual(seen, EXPECTED);
  assert.ok(
    site.requests.some((path) => /\/app\/time-series-/.test(path)),
    "loaded on first use",
  );
  assert.deepEqual(problems, []);
});

// Without a bundler `raven-edge` has the plural rules at once: the index classes that it exports need them.
inChromium(
  "a class whose plural cannot be loaded is not stored, and the error names the remedy",
  async (t, name) => {
    const site = await serve(t, {
      folder: pkg,
      pages: { "/": PAGE },
      raven: ravendb.url,
      refuse: ({ url }) => url === "/gen/plural.js",
    });
    const { page } = await visit(t, site.url);
    const failed = await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/lib/entries/session/web.js");
      const store = new DocumentStore("/raven", name).initialize();
      const session = store.openSession();
      return session.store(new (class Visit {})()).catch(({ code, message }) => ({ code, message }));
    }, name);
    assert.equal(failed.code, "LoadFailed");
    assert.match(failed.message, /findCollectionName/);
  },
);

inChromium("`complete` works in a service worker as `raven-edge` does in a page", async (t, name) => {
  await fill(ravendb, name, 300);
  const result = await inServiceWorker(t, "/lib/entries/complete.js", name, async (store) => {
    const session = store.openSession();
    class Visit {}
    const visit = new Visit();
    await session.store(visit);
    session.advanced.patch("orders/0000000", "customer", "somebody");
    session.advanced.waitForIndexesAfterSaveChanges();
    await session.saveChanges();
    let count = 0;
    for await (const _ of session.advanced.stream("orders/")) count++;
    const { customer } = await session.advanced.lazily.load("orders/0000000").getValue();
    const order = await session.load("orders/0000001");
    await session.advanced.refresh(order);
    const several = await session.advanced.loadStartingWith("orders/000000", { pageSize: 5 });
    const next = await store.hiLoIdGenerator.generateNextIdFor(undefined, "orders");
    const isThere = await session.advanced.exists("orders/0000299");
    return { id: visit.id, count, customer, several: several.length, next, isThere };
  });
  assert.deepEqual(result, {
    id: "visits/1-A",
    count: 300,
    customer: "somebody",
    several: 5,
    next: 1,
    isThere: true,
  });
  assert.equal((await document(ravendb, name, "visits/1-A"))["@metadata"]["@collection"], "Visits");
});

inChromium(
  "`session/complete` works in a service worker as `raven-edge/session` does in a page",
  async (t, name) => {
    const result = await inServiceWorker(t, "/lib/entries/session/complete.js", name, async (store) => {
      const session = store.openSession();
      class Visit {}
      const visit = new Visit();
      await session.store(visit);
      await session.saveChanges();
      await session.advanced.refresh(visit);
      return [visit.id, await session.advanced.exists("visits/2-A")];
    });
    assert.deepEqual(result, ["visits/1-A", false]);
  },
);

inChromium(
  "`raven-edge` in a service worker can save, and its error names the entry that has the rest",
  async (t, name) => {
    const result = await inServiceWorker(t, "/lib/entries/web.js", name, async (store) => {
      const session = store.openSession();
      await session.store({ total: 5, "@metadata": { "@collection": "Orders" } });
      await session.saveChanges();
      return session.advanced.exists("orders/2-A").catch(({ code, message }) => ({ code, message }));
    });
    assert.equal(result.code, "LoadFailed");
    assert.match(result.message, /raven-edge\/complete/);
    assert.ok(await document(ravendb, name, "orders/1-A"));
  },
);
