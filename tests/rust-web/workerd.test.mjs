// The same module in workerd: a store for each request; and an example with the crate `worker`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes, distinct } from "../support/pages.mjs";
import { isLease, proxy } from "../support/proxy.mjs";
import { database, LIMIT, missing, ravendb } from "../support/server.mjs";
import { workerd } from "../support/workerd.mjs";

const folder = process.env.RUST_PAGE;
const skip = missing(ravendb) || (!folder && "no RUST_PAGE");

const text = `
  import { initSync, Shop } from "./rust_page.js";
  import module from "./rust_page_bg.wasm";
  initSync({ module });
  export default {
    async fetch(request, env, context) {
      const { pathname, searchParams } = new URL(request.url);
      const shop = new Shop(env.RAVENDB_URL, env.DATABASE);
      const work = {
        "/next": async () => {
          const ids = [];
          for (let at = 0; at < Number(searchParams.get("count")); at++) ids.push(await shop.next());
          return ids;
        },
        "/create": () => shop.create(searchParams.get("customer")),
        "/list": () => shop.list(),
      };
      try {
        return Response.json(await work[pathname]());
      } catch ({ message }) {
        return Response.json({ message }, { status: 500 });
      } finally {
        context.waitUntil(shop.dispose());
      }
    },
  };`;

async function worker(t, server = ravendb.url) {
  const base = await database(t, ravendb);
  const bindings = { RAVENDB_URL: server, DATABASE: base };
  const { url } = await workerd(t, { text, resolveDir: folder, compatibilityDate: "2026-04-01", bindings });
  const ask = async (path) => {
    const response = await fetch(new URL(path, url));
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
  };
  return { base, ask };
}

test("a request takes an id and returns the rest; the next one gets 2 to 33", {
  skip,
  timeout: LIMIT,
}, async (t) => {
  const { base, ask } = await worker(t);
  assert.deepEqual(await ask("/next?count=1"), ["orders/1-A"]);
  await becomes(base, 1);
  const ids = Array.from({ length: 32 }, (_, at) => `orders/${at + 2}-A`);
  assert.deepEqual(await ask("/next?count=32"), ids);
});

test("requests that overlap do not wait for each other, and get no id twice", {
  skip,
  timeout: LIMIT,
}, async (t) => {
  const wire = await proxy(t, ravendb.url);
  const { ask } = await worker(t, wire.url);
  const names = Array.from({ length: 8 }, (_, at) => `c${at}`);
  /** Each request gets its first lease when all of them have asked for one. */
  const together = (path) => {
    let leases = 0;
    let release;
    const all = new Promise((resolve) => {
      release = resolve;
    });
    wire.rule = (request) => {
      if (!isLease(request)) return undefined;
      leases++;
      if (leases === names.length) release();
      return all;
    };
    return Promise.all(names.map((name) => ask(path(name))));
  };
  // More than a lease has.
  const taken = await together(() => "/next?count=40");
  const created = await together((name) => `/create?customer=${name}`);
  assert.equal(distinct(...taken, created), 41 * names.length);
  assert.deepEqual(
    (await ask("/list")).map((line) => line.split(" ")[1]),
    names,
  );
});

/** The example `examples/rust-worker`, which uses the crate `worker`. */
const withWorker = process.env.RUST_WORKER;

// What `worker-build` would write around the module.
const aroundWorker = `
  import { fetch, initSync } from "./rust_worker.js";
  import module from "./rust_worker_bg.wasm";
  initSync({ module });
  export default { fetch };`;

// Built with `--full` alone: the crate has many dependencies.
if (process.env.RAVEN_EDGE_FULL === "1")
  test("a Worker with the crate `worker` creates orders, lists them, and returns unused numbers", {
    skip: missing(ravendb) || (!withWorker && "no RUST_WORKER"),
    timeout: LIMIT,
  }, async (t) => {
    const base = await database(t, ravendb);
    const bindings = { RAVENDB_URL: ravendb.url, DATABASE: base };
    const { url } = await workerd(t, {
      text: aroundWorker,
      resolveDir: withWorker,
      compatibilityDate: "2026-04-01",
      bindings,
    });
    const ask = async (method, path) => {
      const response = await fetch(new URL(path, url), { method });
      const body = await response.text();
      return [response.status, response.ok ? JSON.parse(body) : body];
    };
    assert.deepEqual(await ask("POST", "/orders?customer=Bob"), [200, ["orders/1-A"]]);
    await becomes(base, 1);
    const names = ["Ada", "Cleo", "Dora"];
    const created = await Promise.all(names.map((name) => ask("POST", `/orders?customer=${name}`)));
    assert.equal(new Set(created.map(([, [id]]) => id)).size, 3);
    const [status, lines] = await ask("GET", "/orders");
    assert.equal(status, 200);
    assert.deepEqual(
      lines.map((line) => line.split(" ")[1]),
      ["Ada", "Bob", "Cleo", "Dora"],
    );
    assert.equal((await ask("POST", "/orders"))[0], 405);
  });
