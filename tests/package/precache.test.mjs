// What a build of an app for production contains, and which of these files a service worker keeps for an offline start.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { blocksOf } from "../docs/blocks.mjs";
import { missingChromium, visit } from "../support/chromium.mjs";
import { project, root, run } from "../support/packed.mjs";
import { serve } from "../support/serve.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const LIMIT = 240_000;

const MAIN = `import { DocumentStore } from "raven-edge";
const store = new DocumentStore("/raven", "Shop").initialize();
navigator.serviceWorker?.ready.then(() => { document.title = "kept"; });
store.ready().then(() => { document.title = "ready"; });`;
const HTML =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title></title></head><body><script type="module" src="/main.js"></script></body></html>';

/** The module of WebAssembly. */
const MODULES = ["raven_edge_bg"];

const named = (files) =>
  files
    .filter((file) => file.endsWith(".wasm"))
    .map((file) => file.replace(/^.*\/|-.*$/g, ""))
    .sort();

const filesIn = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true });

/** The names of the scripts in a folder that contain a copy of the module: its text is much longer than any other. */
const copies = (folder) =>
  filesIn(folder)
    .filter((file) => file.name.endsWith(".js"))
    .filter((file) => /[A-Za-z0-9+/]{10000}/.test(readFileSync(join(file.parentPath, file.name), "utf8")))
    .map((file) => file.name);

const vite = (folder, bin = root) =>
  run(process.execPath, [join(bin, "node_modules/vite/bin/vite.js"), "build"], { cwd: folder });

async function webpack(folder, config = {}) {
  const compiler = createRequire(join(root, "package.json"))("webpack")({
    mode: "production",
    context: folder,
    entry: "./main.js",
    ...config,
    output: { path: join(folder, "dist"), ...config.output },
  });
  const stats = await new Promise((resolve, reject) =>
    compiler.run((error, stats) => (error ? reject(error) : resolve(stats))),
  );
  return stats.toJson({ all: false, errors: true, warnings: true, assets: true });
}

test("a Vite build contains the modules, and no copy of them in a script", { timeout: LIMIT }, async () => {
  const folder = await project("vite-files", { "main.js": MAIN, "index.html": HTML });
  const { stderr } = await vite(folder);
  assert.equal(stderr, "", "no warning about sizes");
  assert.deepEqual(named(filesIn(join(folder, "dist")).map(({ name }) => name)), MODULES);
  assert.deepEqual(copies(join(folder, "dist")), []);
});

test("a webpack build contains the modules, and no copy of them in a script", {
  timeout: LIMIT,
}, async () => {
  const folder = await project("webpack-files", { "main.js": MAIN });
  const { errors, warnings, assets } = await webpack(folder);
  assert.deepEqual([errors, warnings], [[], []]);
  assert.equal(assets.filter(({ name }) => name.endsWith(".wasm")).length, MODULES.length);
  assert.deepEqual(copies(join(folder, "dist")), []);
});

/** The URLs that a generated service worker precaches. */
const precached = (folder, name) =>
  [...readFileSync(join(folder, "dist", name), "utf8").matchAll(/url:\s*"([^"]+)"/g)].map(([, url]) => url);

/** The configuration for a tool, from the page. */
const recipe = (name) =>
  blocksOf("docs/offline-start.md").find(({ code }) => code.includes(name))?.code ??
  assert.fail(`no recipe for ${name}`);

if (full) {
  test("the recipe for Vite precaches what an offline start needs, and it starts", {
    skip: missingChromium,
    timeout: LIMIT,
  }, async (t) => {
    const tools = ["vite@8.3.8", "vite-plugin-pwa@2.0.0"];
    const content = { "main.js": MAIN, "index.html": HTML, "vite.config.js": recipe("vite-plugin-pwa") };
    const folder = await project("vite-precache", content, { tools });
    await vite(folder, folder);
    const urls = precached(folder, "sw.js");
    assert.deepEqual(named(urls), ["raven_edge_bg"]);
    const scripts = filesIn(join(folder, "dist/assets")).filter(({ name }) => name.endsWith(".js"));
    for (const { name } of scripts) assert.ok(urls.includes(`assets/${name}`), name);
    const site = await serve(t, { folder: join(folder, "dist"), raven: "http://127.0.0.1:1" });
    const { page } = await visit(t, site.url);
    await page.waitForFunction(() => navigator.serviceWorker.controller || document.title === "kept");
    await page.context().setOffline(true);
    await page.reload();
    await page.waitForFunction(() => document.title === "ready");
  });

  test("the recipe for webpack precaches all scripts and the module that is used", {
    timeout: LIMIT,
  }, async () => {
    const tools = ["webpack@5.112.2", "workbox-webpack-plugin@7.4.1"];
    const content = { "main.js": MAIN, "webpack.config.js": recipe("workbox-webpack-plugin") };
    const folder = await project("webpack-precache", content, { tools });
    const { default: config } = await import(join(folder, "webpack.config.js"));
    const { errors, assets } = await webpack(folder, config);
    assert.deepEqual(errors, []);
    const urls = precached(folder, "service-worker.js");
    assert.deepEqual(named(urls), ["raven_edge_bg"]);
    const scripts = assets
      .map(({ name }) => name)
      .filter((name) => /\.js$/.test(name) && !/^(service-worker|workbox)/.test(name));
    for (const name of scripts)
      assert.ok(
        urls.some((url) => url.endsWith(name)),
        name,
      );
  });
}
