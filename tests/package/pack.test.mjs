// The package from npm pack, installed in empty folders: a Vite build, a Node script and a Worker each save a
// document without any configuration.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { missingChromium, visit } from "../support/chromium.mjs";
import { LIMIT, packed, project, root, run, SAVE } from "../support/packed.mjs";
import { serve } from "../support/serve.mjs";
import { authority, counter, database, document, missing, ravendb } from "../support/server.mjs";
import { workerd } from "../support/workerd.mjs";

async function assertSaved(server, name) {
  assert.equal((await document(server, name, "orders/1-A"))?.total, 5);
  assert.equal(await counter(server, name, "orders"), 1);
}

function onBoth(name, body, skip = false) {
  for (const server of [authority, ravendb]) {
    test(`${name} [${server.name}]`, { skip: skip || missing(server), timeout: LIMIT }, (t) =>
      body(t, server),
    );
  }
}

test("the tarball contains what is needed and nothing else", () => {
  const expected = [
    /^package\.json$/,
    /^(LICENSE|README\.md)$/,
    /^docs\/([a-z-]+|README|SECURITY)\.md$/,
    /^lib\/([a-z-]+\/){0,2}[a-z-]+\.js(\.map)?$/,
    /^lib\/entries\/([a-z]+\/)?node\.cjs$/,
    /^session\/complete\.d\.ts$/,
    /^(index|complete|session|hilo|inline|offline|slim|authority|gateway|gateway-live|hub|changes-hub|precache|react|tanstack-db|raven_edge\.wasm)\.d\.ts$/,
    /^gen\/(raven_edge((_hilo)?_worker|_hilo|_whole)?|edge_(authority|gateway|gateway_live|hub|changes))_bg\.wasm$/,
    /^gen\/(inline|inline_queue|plural|version)\.js$/,
    /^templates\/worker-react\/((src|worker)\/)?[a-z.-]+\.(ts|tsx|js|css)$/,
    /^templates\/worker-react\/(README\.md|index\.html|(package|tsconfig)\.json|wrangler\.jsonc)$/,
    /^dts\/([a-z-]+\/([a-z]+\/)?[a-z-]+\.d\.ts|package\.json)$/,
  ];
  assert.deepEqual(
    packed.files.filter((file) => !expected.some((pattern) => pattern.test(file))),
    [],
    "unneeded files",
  );
  assert.ok(packed.size <= 2_000_000, `the tarball has ${packed.size} bytes`);
  for (const file of [
    "lib/entries/node.js",
    "lib/entries/session/node.js",
    "lib/entries/hilo/node.js",
    "lib/entries/web.js",
    "lib/entries/workerd.js",
    "gen/raven_edge_bg.wasm",
    "gen/inline.js",
    "index.d.ts",
    "dts/store/store-types.d.ts",
    "lib/entries/inline.js",
    "lib/entries/slim.js",
    "slim.d.ts",
    "lib/entries/complete.js",
    "complete.d.ts",
    "lib/parts/render.js",
    "lib/parts/document-iterator.js",
    "session.d.ts",
    "hilo.d.ts",
    "gen/raven_edge_hilo_bg.wasm",
    "gen/raven_edge_worker_bg.wasm",
    "gen/raven_edge_hilo_worker_bg.wasm",
    "lib/entries/authority.js",
    "authority.d.ts",
    "lib/entries/gateway.js",
    "lib/entries/gateway-live.js",
    "gateway.d.ts",
    "gateway-live.d.ts",
    "lib/entries/hub.js",
    "hub.d.ts",
    "gen/edge_gateway_bg.wasm",
    "gen/edge_gateway_live_bg.wasm",
    "gen/edge_hub_bg.wasm",
    "lib/entries/changes-hub.js",
    "changes-hub.d.ts",
    "gen/edge_changes_bg.wasm",
    "gen/edge_authority_bg.wasm",
    "docs/session.md",
  ]) {
    assert.ok(packed.files.includes(file), `${file} is missing`);
  }
});

test("every path that the package names exists in it", async () => {
  const folder = await project("paths");
  const installed = join(folder, "node_modules/raven-edge");
  const { exports } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  const pathsOf = (entry) => (typeof entry === "string" ? entry : Object.values(entry).flatMap(pathsOf));
  const paths = pathsOf(exports);
  for (const path of paths) assert.ok(existsSync(join(installed, path)), `${path} is named but not packed`);
});

onBoth("a Node script saves a document", async (t, server) => {
  const name = await database(t, server);
  const folder = await project(`node-${name}`, {
    "main.js": `${SAVE(server.url, name)}console.log(order.id);`,
  });
  const { stdout, stderr } = await run(process.execPath, ["main.js"], { cwd: folder, timeout: 30_000 });
  assert.equal(stdout.trim(), "orders/1-A");
  assert.equal(stderr, "");
  await assertSaved(server, name);
});

onBoth(
  "a Vite build saves a document in Chromium",
  async (t, server) => {
    const name = await database(t, server);
    const folder = await project(`vite-${name}`, {
      "index.html":
        '<!doctype html><meta charset="utf-8"><title></title><script type="module" src="/main.js"></script>',
      "main.js": `async function main() {${SAVE("/raven", name).replace(/import .*/, "")}document.title = "saved " + order.id;}
import { DocumentStore } from "raven-edge";
main().catch((error) => { document.title = "failed: " + error.stack; });`,
    });
    await run(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build"], {
      cwd: folder,
      timeout: 60_000,
    });
    const site = await serve(t, { folder: join(folder, "dist"), raven: server.url });
    const { page, problems } = await visit(t, site.url);
    await page.waitForFunction(() => globalThis.document.title !== "");
    assert.equal(await page.title(), "saved orders/1-A");
    assert.deepEqual(problems, []);
    assert.ok(
      site.requests.some((path) => /\.wasm$/.test(path)),
      "the build copied the module",
    );
    await assertSaved(server, name);
  },
  missingChromium,
);

test("a Vite build that only needs ids contains the small module, and the whole one for other sources", {
  skip: missingChromium || missing(ravendb),
  timeout: LIMIT,
}, async (t) => {
  const name = await database(t, ravendb);
  const folder = await project(`ids-${name}`, {
    "index.html":
      '<!doctype html><meta charset="utf-8"><title></title><script type="module" src="/main.js"></script>',
    "main.js": `import { HiLoStore } from "raven-edge/hilo";
const store = new HiLoStore("/raven", ${JSON.stringify(name)}).initialize();
store.hilo("orders").next().then((id) => { document.title = id; });`,
  });
  await run(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build"], {
    cwd: folder,
    timeout: 60_000,
  });
  const built = await readdir(join(folder, "dist/assets"));
  assert.deepEqual(
    built
      .filter((file) => file.endsWith(".wasm"))
      .map((file) => file.replace(/-.*/, ""))
      .sort(),
    ["raven_edge_hilo_bg"],
  );
  const site = await serve(t, { folder: join(folder, "dist"), raven: ravendb.url });
  const { page, problems } = await visit(t, site.url);
  await page.waitForFunction(() => globalThis.document.title !== "");
  assert.equal(await page.title(), "orders/1-A");
  assert.deepEqual(problems, []);
});

test("`hilo` issues ids in workerd and in Node", {
  skip: missing(ravendb),
  timeout: LIMIT,
}, async (t) => {
  const name = await database(t, ravendb);
  const leasing = `import { HiLoStore } from "raven-edge/hilo";
const store = new HiLoStore(${JSON.stringify(ravendb.url)}, ${JSON.stringify(name)}).initialize();
const first = async () => {
  const id = await store.hilo("orders").next();
  await store.release();
  return id;
};`;
  const folder = await project(`ids-worker-${name}`, { "main.js": `${leasing}console.log(await first());` });
  const fetch = await workerd(t, {
    resolveDir: folder,
    compatibilityDate: "2026-04-01",
    text: `${leasing}export default { async fetch() { return new Response(await first()); } };`,
  });
  assert.equal(await (await fetch("/")).text(), "orders/1-A");
  const { stdout } = await run(process.execPath, ["main.js"], { cwd: folder, timeout: 30_000 });
  assert.equal(stdout.trim(), "orders/2-A");
});

onBoth("a Worker saves a document in workerd", async (t, server) => {
  const name = await database(t, server);
  const folder = await project(`worker-${name}`);
  const fetch = await workerd(t, {
    resolveDir: folder,
    compatibilityDate: "2026-04-01",
    text: `
      import { DocumentStore } from "raven-edge";
      const store = new DocumentStore(${JSON.stringify(server.url)}, ${JSON.stringify(name)}).initialize();
      export default {
        async fetch() {
          const session = store.openSession();
          const order = { total: 5, "@metadata": { "@collection": "Orders" } };
          await session.store(order);
          await session.saveChanges();
          await store.dispose();
          return new Response(order.id);
        },
      };`,
  });
  assert.equal(await (await fetch("/")).text(), "orders/1-A");
  await assertSaved(server, name);
});

test("a bundle for Node without the wasm file uses the inlined copy", {
  skip: missing(authority),
  timeout: LIMIT,
}, async (t) => {
  const name = await database(t, authority);
  const folder = await project(`bundled-${name}`, {
    "main.js": `${SAVE(authority.url, name)}console.log(order.id);`,
    "ids.js": `import { HiLoStore } from "raven-edge/hilo";
new HiLoStore("${authority.url}", "${name}").initialize().hilo("carts").next().then(console.log, console.log);`,
  });
  const { build } = await import("esbuild");
  const bundle = async (source, format, file) => {
    const outfile = join(packed.home, `out-${name}`, file);
    const entryPoints = [join(folder, source)];
    const options = { bundle: true, platform: "node", format, outfile, logLevel: "error" };
    // Of CommonJS esbuild says that `import.meta` is empty.
    await build({ entryPoints, ...options, logOverride: { "empty-import-meta": "silent" } });
    const { stdout } = await run(process.execPath, [outfile], { timeout: 30_000 });
    return stdout.trim();
  };
  assert.equal(await bundle("main.js", "esm", "main.mjs"), "orders/1-A");
  await assertSaved(authority, name);
  assert.equal(await bundle("ids.js", "cjs", "ids.cjs"), "carts/1-A");
});
