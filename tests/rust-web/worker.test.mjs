// The example `examples/rust-worker`, which uses the crate `worker`, in workerd. Built with `--full` alone: the crate has many dependencies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../support/pages.mjs";
import { database, LIMIT, missing, ravendb } from "../support/server.mjs";
import { workerd } from "../support/workerd.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const folder = process.env.RUST_WORKER;

// What `worker-build` would write around the module.
const text = `
  import { fetch, initSync } from "./rust_worker.js";
  import module from "./rust_worker_bg.wasm";
  initSync({ module });
  export default { fetch };`;

if (full)
  test("a Worker with the crate `worker` creates orders, lists them, and returns unused numbers", {
    skip: missing(ravendb) || (!folder && "no RUST_WORKER"),
    timeout: LIMIT,
  }, async (t) => {
    const base = await database(t, ravendb);
    const bindings = { RAVENDB_URL: ravendb.url, DATABASE: base };
    const { url } = await workerd(t, { text, resolveDir: folder, compatibilityDate: "2026-04-01", bindings });
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
