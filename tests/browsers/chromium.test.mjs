// The package in a page: its own origin in front of RavenDB and of the authority.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { saving } from "../support/app-code.mjs";
import { missingChromium, visit } from "../support/chromium.mjs";
import { serve } from "../support/serve.mjs";
import { authority, counter, database, document, missing, otherLease, ravendb } from "../support/server.mjs";

const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));
const CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'";

/** A page without scripts; the test's code runs in it through `run`. */
const PAGE = "<!doctype html><meta charset=utf-8><title>raven-edge</title>";

/** Tests with both servers, in Chromium. */
function inChromium(name, body) {
  for (const server of [authority, ravendb]) {
    test(`${name} [${server.name}]`, { skip: missingChromium || missing(server), timeout: 60_000 }, (t) =>
      body(t, server),
    );
  }
}

/** The result of a page's code; `DocumentStore` comes from the package. */
function run(page, name, body, from = "/lib/entries/web.js") {
  return page.evaluate(
    async ([from, name, text]) => {
      const { DocumentStore } = await import(from);
      const AsyncFunction = (async () => {}).constructor;
      return new AsyncFunction("DocumentStore", "name", text)(DocumentStore, name);
    },
    [from, name, body],
  );
}

const FIRST = `
  const store = new DocumentStore("/raven", name).initialize();
  const session = store.openSession();
  const before = [session.advanced.hasChanges(), session.advanced.isLoaded("orders/1-A"), store.hilo("orders").take(), store.hilo("orders").status().atHand];
  const order = { total: 5, name: "käse 🧀", "@metadata": { "@collection": "Orders" } };
  await session.store(order);
  await session.saveChanges();
  await store.dispose();
  return { before, id: order.id };`;

async function assertFirst(server, name, { before, id }) {
  assert.deepEqual(
    before,
    [false, false, undefined, 0],
    "synchronous members work before the module is loaded",
  );
  assert.equal(id, "orders/1-A");
  const saved = await document(server, name, "orders/1-A");
  assert.equal(saved.total, 5);
  assert.equal(saved.name, "käse 🧀");
  assert.equal(await counter(server, name, "orders"), 1);
  const { Low, High } = await otherLease(server, name, "orders");
  assert.deepEqual([Low, High], [2, 33]);
}

inChromium(
  "after store, save and dispose orders/1-A exists, and the next client gets 2-33",
  async (t, server) => {
    const name = await database(t, server);
    const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: server.url });
    const { page, problems } = await visit(t, site.url);
    await assertFirst(server, name, await run(page, name, FIRST));
    assert.ok(site.requests.includes("/gen/raven_edge_bg.wasm"));
    assert.ok(!site.requests.includes("/gen/inline.js"), "the inlined copy is not fetched");
    assert.deepEqual(problems, []);
  },
);

test("a page can query once the module is loaded, and gets the session's entities [RavenDB]", {
  skip: missingChromium || missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: ravendb.url });
  const { page, problems } = await visit(t, site.url);
  const seen = await run(
    page,
    name,
    `
    const store = new DocumentStore("/raven", name).initialize();
    const session = store.openSession();
    const query = () => session.query({ collection: "Orders" }).waitForNonStaleResults().whereGreaterThan("total", 5);
    let early;
    try { String(query()); } catch (error) { early = error.code; }
    for (const total of [4, 6, 8]) await session.store({ total, "@metadata": { "@collection": "Orders" } });
    await session.saveChanges();
    const text = String(query());
    const found = await query().orderBy("total", "Long").all();
    const totals = found.map(({ total }) => total);
    found[0].total = 60;
    await session.saveChanges();
    const again = await store.openSession().query({ collection: "Orders" }).waitForNonStaleResults()
      .whereEquals("total", 60).selectFields("total").all();
    await store.dispose();
    return { early, text, totals, again };`,
  );
  assert.deepEqual(seen, {
    early: "InvalidOperation",
    text: "from 'Orders' where total > $p0",
    totals: [6, 8],
    again: [60],
  });
  assert.deepEqual(problems, []);
});

inChromium(
  "a page takes a thousand ids, saves three sessions at once, and loads their documents",
  async (t, server) => {
    const name = await database(t, server);
    const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: server.url });
    const { page, problems } = await visit(t, site.url);
    const {
      ids,
      found,
      missing: none,
    } = await run(
      page,
      name,
      `
    const store = new DocumentStore("/raven", name).initialize();
    await store.ready();
    const ids = await Promise.all(Array.from({ length: 1000 }, () => store.hilo("orders").next()));
    const sessions = await Promise.all([1, 2, 3].map(async (n) => {
      const session = store.openSession();
      const note = { n, "@metadata": { "@collection": "Notes" } };
      session.store(note);
      await session.saveChanges();
      return note.id;
    }));
    const reader = store.openSession();
    const found = Object.values(await reader.load(sessions)).map(({ n }) => n);
    const missing = await reader.load("notes/99-A");
    await store.dispose();
    return { ids, found, missing };`,
    );
    assert.equal(new Set(ids).size, 1_000);
    assert.deepEqual(found, [1, 2, 3]);
    assert.equal(none, null);
    assert.equal(await counter(server, name, "orders"), 1_000);
    assert.deepEqual(problems, []);
  },
);

inChromium("the package works in a page with a strict content security policy", async (t, server) => {
  const name = await database(t, server);
  const script = `
    import { DocumentStore } from "/lib/entries/web.js";
    const store = new DocumentStore("/raven", ${JSON.stringify(name)}).initialize();
    const session = store.openSession();
    const order = { "@metadata": { "@collection": "Orders" } };
    try {
      await session.store(order);
      await session.saveChanges();
      await store.dispose();
      document.title = "saved " + order.id;
    } catch (error) {
      document.title = "failed " + error.message;
    }`;
  const handlers = {
    "/page.mjs": (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(script),
  };
  const pages = { "/": '<!doctype html><meta charset=utf-8><script type="module" src="/page.mjs"></script>' };
  const site = await serve(t, {
    folder: pkg,
    pages,
    handlers,
    raven: server.url,
    headers: { "content-security-policy": CSP },
  });
  const { page, problems } = await visit(t, site.url);
  await page.waitForFunction(() => globalThis.document.title !== "");
  assert.equal(await page.title(), "saved orders/1-A");
  assert.ok(await document(server, name, "orders/1-A"));
  assert.deepEqual(problems, []);
});

for (const [what, handler] of Object.entries({
  "with an HTML page, as dev servers do": (_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>"),
  "with status 404": (_, response) => response.writeHead(404).end("no such file"),
  "with another type than application/wasm": undefined,
  "with garbage of the right type": (_, response) =>
    response.writeHead(200, { "content-type": "application/wasm" }).end("garbage"),
  "by closing the connection": (_, response) => response.destroy(),
})) {
  test(`the module loads although the server responds to its request ${what}`, {
    skip: missingChromium || missing(authority),
    timeout: 60_000,
  }, async (t) => {
    const name = await database(t, authority);
    const handlers = {};
    if (handler) handlers["/gen/raven_edge_bg.wasm"] = handler;
    else {
      const { readFileSync } = await import("node:fs");
      const bytes = readFileSync(`${pkg}/gen/raven_edge_bg.wasm`);
      handlers["/gen/raven_edge_bg.wasm"] = (_, response) =>
        response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
    }
    const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, handlers, raven: authority.url });
    const { page, problems } = await visit(t, site.url);
    await assertFirst(authority, name, await run(page, name, FIRST));
    assert.equal(site.requests.includes("/gen/inline.js"), handler !== undefined);
    assert.deepEqual(problems, []);
  });
}

inChromium("a store for a server of another origin fails with one clear error", async (t, server) => {
  const name = await database(t, server);
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE } });
  const { page, problems } = await visit(t, site.url);
  const errors = await run(
    page,
    name,
    `
    const store = new DocumentStore(${JSON.stringify(server.url)}, name, { timeout: 5_000 }).initialize();
    await store.ready();
    const tell = (error) => ({ code: error.code, name: error.name, message: error.message });
    const [id, load] = await Promise.all([
      store.hilo("orders").next().then(() => "an id", tell),
      store.openSession().load("orders/1-A").then(() => "a document", tell),
    ]);
    return { id, load };`,
  );
  for (const [what, error] of Object.entries(errors)) {
    t.diagnostic(`${what}: ${JSON.stringify(error)}`);
    // The browser hides the response because it lacks CORS headers, so it looks like an unreachable server.
    assert.ok(["Unreachable", "ForeignOrigin", "Timeout"].includes(error.code), JSON.stringify(error));
    assert.match(error.message, /origin/i, `${what}: the message names the origin that a page may reach`);
  }
  assert.equal(await counter(server, name, "orders"), undefined);
  assert.deepEqual(problems, []);
});

inChromium("the package works in a dedicated worker", async (t, server) => {
  const name = await database(t, server);
  const worker = `
    import { DocumentStore } from "/lib/entries/web.js";
    try {
      ${saving("/raven", name)}
      postMessage(order.id);
    } catch (error) {
      postMessage(String(error));
    }`;
  const handlers = {
    "/worker.mjs": (_, response) =>
      response.writeHead(200, { "content-type": "text/javascript" }).end(worker),
  };
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, handlers, raven: server.url });
  const { page } = await visit(t, site.url);
  const result = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const made = new Worker("/worker.mjs", { type: "module" });
        made.onmessage = ({ data }) => resolve(data);
        made.onerror = (event) => reject(new Error(event.message));
      }),
  );
  assert.equal(result, "orders/1-A");
  assert.equal((await document(server, name, "orders/1-A")).total, 5);
  assert.equal(await counter(server, name, "orders"), 1);
});

test("the stack of an error has the function of the app that made the call", {
  skip: missingChromium,
  timeout: 60_000,
}, async (t) => {
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE } });
  const { page } = await visit(t, site.url);
  const stacks = await run(
    page,
    "Shop",
    `
    const refused = JSON.stringify({ Type: "System.InvalidOperationException", Message: "no ids" });
    const fetch = async (url) => {
      if (url.includes("multi_get")) return new Response(refused, { status: 500 });
      throw new TypeError("no connection");
    };
    const store = new DocumentStore("/raven", name, { fetch }).initialize();
    const calls = [
      () => store.openSession().load("a/1"),
      () => store.openSession().query({ collection: "Orders" }).all(),
      () => store.hilo("orders").next(),
    ];
    const appFunction = async (call) => { await call(); };
    return Promise.all(calls.map((call) => appFunction(call).catch(({ code, stack }) => code + " " + stack)));`,
  );
  for (const [at, code] of ["Unreachable", "Unreachable", "Server"].entries())
    assert.match(stacks[at], new RegExp(`^${code} .*\\bappFunction\\b`, "s"));
});

test("if the module cannot be loaded the error is LoadFailed, and a later call tries again", {
  skip: missingChromium || missing(authority),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, authority);
  const destroy = (_, response) => response.destroy();
  const handlers = { "/gen/raven_edge_bg.wasm": destroy, "/gen/inline.js": destroy };
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, handlers, raven: authority.url });
  const { page } = await visit(t, site.url);
  const failed = await run(
    page,
    name,
    `
    const store = globalThis.store = new DocumentStore("/raven", name).initialize();
    const tell = (error) => error.code;
    return Promise.all([store.ready().catch(tell), store.hilo("orders").next().catch(tell), store.openSession().load("a/1").catch(tell)]);`,
  );
  assert.deepEqual(failed, ["LoadFailed", "LoadFailed", "LoadFailed"]);
  for (const path of Object.keys(handlers)) delete handlers[path];
  assert.equal(await run(page, name, 'return store.hilo("orders").next();'), "orders/1-A");
});
