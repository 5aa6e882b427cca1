// Sources in workerd, where a request must not wait for another one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { counter, database, missing, ravendb } from "../support/server.mjs";
import { within } from "../support/store.mjs";
import { workerd } from "../support/workerd.mjs";

const resolveDir = fileURLToPath(new URL(".", import.meta.url));
const alias = { "raven-edge": fileURLToPath(new URL("../../pkg/dist/entries/workerd.js", import.meta.url)) };

const worker = (url, name) => `
  import { DocumentStore } from "raven-edge";
  let hi = 0;
  let max = 0;
  const own = {
    async lease(tag, size, above) {
      const low = Math.max(max, above) + 1;
      max = low + size - 1;
      return { low, high: max };
    },
    release() {},
  };
  const sources = { document: "document", classic: { kind: "classic", capacity: 3, next: async () => ++hi }, own };
  const stores = {};
  for (const name in sources) {
    stores[name] = new DocumentStore(${JSON.stringify(url)}, ${JSON.stringify(name)}, { source: sources[name] });
    stores[name].conventions.disableTopologyUpdates = true;
    stores[name].initialize();
  }
  export default {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const [, name, what] = pathname.split("/");
      if (what === "dispose") return Response.json(await stores[name].dispose() ?? {});
      const ids = [];
      for (let i = 0; i < 10; i++) ids.push(await stores[name].hilo("orders").next());
      return Response.json(ids);
    },
  };`;

test("20 concurrent requests with each source get distinct ids", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const text = worker(ravendb.url, name);
  const fetch = await workerd(t, { text, resolveDir, alias, compatibilityDate: "2024-09-23" });
  for (const source of ["document", "classic", "own"]) {
    const asked = Array.from({ length: 20 }, async () => (await fetch(`/${source}/ids`)).json());
    const ids = (await within(30_000, Promise.all(asked), source)).flat();
    assert.equal(new Set(ids).size, 200, source);
    assert.ok(ids.every((id) => /^orders\/\d+$/.test(id)));
    const before = await counter(ravendb, name, "orders");
    await fetch(`/${source}/dispose`);
    if (source === "document")
      assert.ok((await counter(ravendb, name, "orders")) < before, "unused numbers were returned");
  }
});

const recipe = `
  import { DocumentStore } from "raven-edge";
  let db;
  const sql = "INSERT INTO hilo VALUES (?, 1) ON CONFLICT (tag) DO UPDATE SET hi = hi + 1 RETURNING hi";
  const next = (tag) => db.prepare(sql).bind(tag.toLowerCase()).first("hi");
  const source = { kind: "classic", capacity: 32, next };
  const stores = [0, 1, 2, 3].map(() => new DocumentStore("http://nowhere", "Shop", { source }).initialize());
  export default {
    async fetch(request, env) {
      db = env.DB;
      const { pathname } = new URL(request.url);
      if (pathname === "/create") {
        await db.prepare("CREATE TABLE hilo (tag TEXT PRIMARY KEY, hi INTEGER NOT NULL)").run();
        return Response.json({});
      }
      if (pathname === "/hi") return Response.json(await db.prepare("SELECT hi FROM hilo").first());
      const ids = [];
      for (let i = 0; i < 100; i++) ids.push(await stores[pathname.slice(1)].hilo("orders").next());
      return Response.json(ids);
    },
  };`;

test("the recipe for SQLite and D1 issues no number twice to four clients", {
  timeout: 60_000,
}, async (t) => {
  const worker = { text: recipe, resolveDir, alias, compatibilityDate: "2024-09-23", d1: ["DB"] };
  const fetch = await workerd(t, worker);
  await fetch("/create");
  const asked = Array.from({ length: 12 }, async (_, i) => (await fetch(`/${i % 4}`)).json());
  const ids = (await within(30_000, Promise.all(asked), "ids")).flat();
  assert.equal(new Set(ids).size, 1_200);
  const { hi } = await (await fetch("/hi")).json();
  assert.ok(hi * 32 >= Math.max(...ids.map((id) => Number(/^orders\/(\d+)$/.exec(id)[1]))));
});
