// The package as npm packs it, installed in empty folders: a Vite build, a Node script and a Worker each save a
// document without a line of configuration for us.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after as afterAll, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { missingChromium, visit } from "../support/chromium.mjs";
import { serve } from "../support/serve.mjs";
import { authority, counter, database, document, missing, ravendb } from "../support/server.mjs";
import { workerd } from "../support/workerd.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const LIMIT = 90_000;

let home;
let tarball;
let files;

before(
  async () => {
    home = await mkdtemp(join(tmpdir(), "raven-edge-pack-"));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", home], {
      cwd: join(root, "pkg"),
    });
    const [packed] = JSON.parse(stdout);
    tarball = join(home, packed.filename);
    files = packed.files.map(({ path }) => path).sort();
  },
  { timeout: LIMIT },
);
afterAll(() => rm(home, { recursive: true, force: true }));

/** An empty folder with the package installed and these files. */
async function project(name, content = {}) {
  const folder = join(home, name);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder });
  for (const [file, text] of Object.entries(content)) await writeFile(join(folder, file), text);
  return folder;
}

const SAVE = (url, name) => `
import { DocumentStore } from "raven-edge";
const store = new DocumentStore(${JSON.stringify(url)}, ${JSON.stringify(name)}).initialize();
const session = store.openSession();
const order = { total: 5, "@metadata": { "@collection": "Orders" } };
await session.store(order);
await session.saveChanges();
await store.dispose();
`;

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

test("the tarball has what is needed and nothing else", () => {
  const expected = [
    /^package\.json$/,
    /^(LICENSE|README\.md)$/,
    /^(node|web|workerd|gate|authority|hub)\.js$/,
    /^(index|authority|hub)\.d\.ts$/,
    /^hot\/(answer|counter|tracker|values)\.js$/,
    /^(lib|device)\/[a-z]+\.js$/,
    /^gen\/(raven_edge\.js|raven_edge_bg\.wasm|edge\.js|edge_bg\.wasm|inline\.js|plural\.js)$/,
  ];
  assert.deepEqual(
    files.filter((file) => !expected.some((pattern) => pattern.test(file))),
    [],
    "files that nobody needs",
  );
  for (const file of [
    "node.js",
    "web.js",
    "workerd.js",
    "gate.js",
    "gen/raven_edge.js",
    "gen/raven_edge_bg.wasm",
    "gen/inline.js",
    "index.d.ts",
    "authority.js",
    "authority.d.ts",
    "hub.js",
    "hub.d.ts",
    "gen/edge.js",
    "gen/edge_bg.wasm",
  ]) {
    assert.ok(files.includes(file), `${file} is missing`);
  }
});

test("every path that the package names is in it", async () => {
  const folder = await project("paths");
  const installed = join(folder, "node_modules/raven-edge");
  const { exports } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  const paths = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? entry : Object.values(entry),
  );
  for (const path of paths) assert.ok(existsSync(join(installed, path)), `${path} is named but not packed`);
});

onBoth("a Node script", async (t, server) => {
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
  "a Vite build in Chromium",
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
      "the build moved the module along",
    );
    await assertSaved(server, name);
  },
  missingChromium,
);

onBoth("a Worker in workerd", async (t, server) => {
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

test("a bundle for Node that leaves the wasm behind falls back to the inlined copy", {
  skip: missing(authority),
  timeout: LIMIT,
}, async (t) => {
  const name = await database(t, authority);
  const folder = await project(`bundled-${name}`, {
    "main.js": `${SAVE(authority.url, name)}console.log(order.id);`,
  });
  const { build } = await import("esbuild");
  await build({
    entryPoints: [join(folder, "main.js")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(home, `out-${name}`, "main.mjs"),
    logLevel: "error",
  });
  const { stdout } = await run(process.execPath, [join(home, `out-${name}`, "main.mjs")], {
    timeout: 30_000,
  });
  assert.equal(stdout.trim(), "orders/1-A");
  await assertSaved(authority, name);
});
