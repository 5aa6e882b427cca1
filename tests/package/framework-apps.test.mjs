// With `--full`, the package from npm pack in apps of frameworks that are downloaded: the list of examples/issues in Vue and in Svelte, with the
// bindings of TanStack DB; the newest version of `@tanstack/db` that the package takes. With Node 22, which they need: docs/frameworks.md in
// SvelteKit, and the starter with Cloudflare's plugins.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { blocksOf } from "../docs/blocks.mjs";
import * as chromium from "../support/browsers/chromium.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { after } from "../support/cleanup.mjs";
import { copied, EXAMPLE, filled, served, user } from "../support/issues.mjs";
import { freePort } from "../support/ports.mjs";
import { root } from "../support/root.mjs";
import { RUNTIMES } from "../support/runtimes.mjs";
import { serve } from "../support/serve.mjs";
import { database, document, missing, putDocument, ravendb, send } from "../support/server.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
// It packs the package.
const { project, run } = full ? await import("../support/packed.mjs") : {};
const LIMIT = 300_000;

/** Of each framework the packages that its list needs; versions are those of the example. */
const FRAMEWORKS = {
  vue: ["vue", "@tanstack/vue-db", "@vitejs/plugin-vue"],
  svelte: ["svelte", "@tanstack/svelte-db", "@sveltejs/vite-plugin-svelte"],
};

/** A folder with the example and what its `package.json` names for this framework. */
async function installed(name, framework) {
  const { dependencies, devDependencies, overrides } = JSON.parse(
    await readFile(join(EXAMPLE, "package.json"), "utf8"),
  );
  const versions = { ...dependencies, ...devDependencies };
  const used = ["@tanstack/db", "vite", ...FRAMEWORKS[framework]];
  const manifest = {
    dependencies: Object.fromEntries(used.map((each) => [each, versions[each]])),
    overrides,
  };
  const folder = await project(
    `${framework}-${name}`,
    {},
    { tools: [`${used[0]}@${versions[used[0]]}`], manifest },
  );
  await copied(folder, name, ["data.js", "worker.js", framework]);
  return folder;
}

test("examples/issues names the versions that this repository tests", async () => {
  const of = async (path) => JSON.parse(await readFile(path, "utf8"));
  const [example, own] = [await of(join(EXAMPLE, "package.json")), await of(join(root, "package.json"))];
  const shared = ["@tanstack/db", "@tanstack/react-db", "react", "react-dom", "vite", "wrangler"];
  const versions = { ...example.dependencies, ...example.devDependencies };
  for (const name of shared) assert.equal(versions[name], own.devDependencies[name], name);
  assert.deepEqual(example.overrides, own.overrides);
});

if (full)
  for (const framework of Object.keys(FRAMEWORKS))
    test(`the list of issues works in ${framework}`, {
      skip: chromium.missing || missing(ravendb),
      timeout: LIMIT,
    }, async (t) => {
      const base = await filled(t, ["ann"]);
      const folder = await installed(base, framework);
      assert.ok(
        !existsSync(join(folder, `node_modules/@tanstack/${framework}-db/node_modules`)),
        "one copy of each",
      );
      await run("npx", ["--no-install", "vite", "build", framework], { cwd: folder, maxBuffer: 1 << 26 });
      const app = await served(t, folder, join(folder, framework));
      const launched = await chromium.launch();
      after(t, () => launched.close());
      // The page shows nothing before somebody is signed in.
      const ann = user(await launched.open(app.url));
      await ann.tab.evaluate(async () => {
        await fetch("/sign-in", { method: "POST", body: "ann" });
        localStorage.user = "ann";
      });
      await ann.tab.goto(app.url);
      const shown = await ann.list((issues) => issues.length === 20 && issues[0].author !== "");
      assert.deepEqual([shown[0].title, shown[19].title, shown[0].author], ["Old 28", "Old 0", "ann Lee"]);
      await ann.fill("[type=search]", "old 2");
      await ann.list(
        (issues) => issues.map(({ title }) => title).join() === "Old 28,Old 27,Old 25,Old 24,Old 22,Old 21",
      );
      const sent = app.wire.next(({ path }) => path.endsWith("/bulk_docs"), { responded: true });
      await ann.click("li button", "Done");
      await ann.list((issues) => issues[0].title === "Old 27");
      await ann.fill("select", "done");
      await ann.list(
        (issues) => issues.map(({ title }) => title).join() === "Old 29,Old 28,Old 26,Old 23,Old 20,Old 2",
      );
      await sent;
      assert.equal((await document(ravendb, base, "issues/ann-28")).status, "done");
    });

const PROGRAM = (name) => `
import { createCollection, createLiveQueryCollection, eq } from "@tanstack/db";
import { DocumentStore } from "raven-edge";
import { ravenCollectionOptions } from "raven-edge/tanstack-db";
import WebSocket from "ws";

const store = new DocumentStore("${ravendb.url}", "${name}", { webSocket: WebSocket }).initialize();
const issues = createCollection(ravenCollectionOptions({ store, collection: "Issues" }));
const open = createLiveQueryCollection((q) =>
  q.from({ issue: issues }).where(({ issue }) => eq(issue.status, "open")).orderBy(({ issue }) => issue.at, "desc").limit(2));
await open.preload();
for (let at = 0; at < 3; at++)
  await issues.insert({ id: "issues/" + at, status: "open", at }).when("settled");
await issues.update("issues/1", (row) => { row.status = "done"; }).when("settled");
await issues.delete("issues/0").when("settled");
console.log(JSON.stringify(open.toArray.map(({ id }) => id)));
await open.cleanup();
await issues.cleanup();
await store.dispose();
`;

if (full)
  test("the newest version of @tanstack/db that the package takes", {
    skip: missing(ravendb),
    timeout: LIMIT,
  }, async (t) => {
    const name = await database(t, ravendb);
    const range = JSON.parse(await readFile(join(root, "pkg/package.json"), "utf8")).peerDependencies[
      "@tanstack/db"
    ];
    const tools = [`@tanstack/db@${range}`, join(root, "node_modules/ws")];
    const folder = await project(`peer-${name}`, { "main.js": PROGRAM(name) }, { tools });
    const { version } = JSON.parse(
      await readFile(join(folder, "node_modules/@tanstack/db/package.json"), "utf8"),
    );
    t.diagnostic(`@tanstack/db ${version}`);
    const { stdout } = await run(process.execPath, ["main.js"], { cwd: folder, timeout: 60_000 });
    assert.deepEqual(JSON.parse(stdout), ["issues/2"]);
    assert.equal((await document(ravendb, name, "issues/1")).status, "done");
    assert.equal(await document(ravendb, name, "issues/0"), undefined);
  });

const [NODE] = RUNTIMES["Node 22"];
const PATH = `${dirname(NODE)}${delimiter}${process.env.PATH}`;
const ENV = { ...process.env, PATH, CI: "true", NO_COLOR: "1" };
const missingNode = !existsSync(NODE) && "Node 22 of package.json is not installed";
const SECRETS = { GATEWAY_SECRET: "g".repeat(40), SESSION_SECRET: "s".repeat(40) };

const KIT = ["@sveltejs/kit@3.2.0", "@sveltejs/adapter-node@6.0.1", "@sveltejs/vite-plugin-svelte@7.3.1"];
const CLOUDFLARE = ["@cloudflare/vite-plugin@1.64.0", "@cloudflare/vitest-plugin@1.5.0", "vitest@5.1.2"];
// What these need newer than in the starter.
const NEWER = ["wrangler@4.164.0", "@types/node@22.20.7"];

/** A program of a project in Node 22. */
const run22 = (cwd, bin, ...options) =>
  run(NODE, [join(cwd, "node_modules", bin), ...options], { cwd, env: ENV, maxBuffer: 1 << 26 });

/** Starts a server of a project in Node 22; resolves when it writes its address. */
function started(t, cwd, file, options, env) {
  const server = spawn(NODE, [join(cwd, file), ...options], { cwd, env: { ...ENV, ...env } });
  after(t, () => server.kill());
  let text = "";
  return new Promise((resolve, reject) => {
    const read = (bytes) => {
      text += bytes;
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
      if (url) resolve(url);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    server.once("exit", () => reject(new Error(text)));
  });
}

/** The blocks of docs/frameworks.md that this file tests; their database has this name. */
const recipes = (name) =>
  blocksOf("docs/frameworks.md")
    .filter(({ options }) => options["tested-by"]?.endsWith("framework-apps.test.mjs"))
    .map(({ code }) =>
      code
        .replaceAll("https://ravendb.example", ravendb.url)
        .replaceAll('"Shop"', JSON.stringify(name))
        .replaceAll("MyApp", name),
    );

const order = (total) => ({ total, "@metadata": { "@collection": "Orders" } });

if (full)
  test("SvelteKit renders orders on the server, and its page shows changes of others and saves", {
    skip: missingChromium || missing(ravendb) || missingNode,
    timeout: LIMIT,
  }, async (t) => {
    const name = await database(t, ravendb);
    await putDocument(ravendb, name, "orders/a", order(1));
    const [store, load, page] = recipes(name);
    const content = {
      "vite.config.js": `import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
export default { plugins: [sveltekit({ adapter: adapter() })] };`,
      "src/app.html":
        '<!doctype html><html lang="en"><head><title>t</title>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      "src/store.js": store,
      "src/routes/+page.server.js": load,
      "src/routes/+page.svelte": page,
    };
    const tools = [...KIT, "svelte@5.57.3", "vite@8.3.8"];
    const folder = await project(`kit-${name}`, content, { tools, env: ENV });
    await run22(folder, "vite/bin/vite.js", "build");
    const port = String(await freePort());
    const app = await started(t, folder, "build/index.js", [], { PORT: port, HOST: "127.0.0.1" });
    const site = await serve(t, { app, raven: ravendb.url });
    assert.match(await (await fetch(site.url)).text(), /<li>orders\/a: 1<\/li>/);
    const { context, problems } = await profile(t);
    const tab = await context.newPage();
    tab.on("console", (message) => message.type() === "warning" && problems.push(message.text()));
    const sees = (text) => tab.locator("li", { hasText: text }).waitFor();
    await tab.goto(site.url);
    await sees("orders/a: 1");
    await putDocument(ravendb, name, "orders/a", order(2));
    await sees("orders/a: 2");
    await tab.click("text=Add");
    await sees("orders/1-A: 5");
    assert.equal((await document(ravendb, name, "orders/1-A")).total, 5);
    assert.deepEqual(problems, []);
  });

if (full)
  test("Cloudflare's plugins build, serve and test the starter", {
    skip: missingChromium || missing(ravendb) || missingNode,
    timeout: 2 * LIMIT,
  }, async (t) => {
    const name = await database(t, ravendb);
    const [, , , config, vitest, spec] = recipes(name);
    // As the starter's README says: the package's file is installed where `package.json` names a version that npm does not find.
    const manifest = JSON.parse(await readFile(join(root, "templates/worker-react/package.json"), "utf8"));
    const tools = [...CLOUDFLARE, ...NEWER];
    const folder = await project(`cloudflare-${name}`, {}, { tools, manifest, env: ENV });
    const template = join(folder, "node_modules/raven-edge/templates/worker-react");
    const of = async (file) => readFile(join(template, file), "utf8");
    for (const part of ["index.html", "src", "worker", "tsconfig.json"])
      await cp(join(template, part), join(folder, part), { recursive: true });
    // As docs/frameworks.md says: the plugin is added, and the command that builds the page is removed.
    const [plugin, , ...plugins] = config.trimEnd().split("\n");
    const changed = (text, from, to) => {
      assert.equal(text.split(from).length, 2, `${from} is there once`);
      return text.replace(from, to);
    };
    const given = {
      "vite.config.ts": `${plugin}\n${changed(await of("vite.config.ts"), "export default defineConfig({ plugins: [serviceWorker()] });", plugins.join("\n"))}`,
      "wrangler.jsonc": changed(
        changed(await of("wrangler.jsonc"), /\n {2}"build": .*/, ""),
        /"DB_URLS": "[^"]*", "DB_NAME": "MyApp"/,
        `"DB_URLS": "${ravendb.url}", "DB_NAME": "${name}"`,
      ),
      "src/store.ts": changed(await of("src/store.ts"), '"MyApp"', JSON.stringify(name)),
      "vitest.config.js": vitest,
      "gateway.test.js": spec,
      ".dev.vars": Object.entries(SECRETS)
        .map((entry) => entry.join("="))
        .join("\n"),
    };
    for (const [file, text] of Object.entries(given)) await writeFile(join(folder, file), text);

    await t.test("in the Workers runtime", async () => {
      const { stdout } = await run22(folder, "vitest/vitest.mjs", "run", `--testTimeout=${LIMIT}`);
      assert.match(stdout, /1 passed/);
    });
    const vite = "node_modules/vite/bin/vite.js";
    const listen = async () => ["--host", "127.0.0.1", "--port", String(await freePort()), "--strictPort"];
    await t.test("with the dev server", async (t) => {
      const url = await started(t, folder, vite, await listen());
      await added(t, url, "Bread");
    });
    await t.test("built, with a start without a connection", async (t) => {
      await run22(folder, "vite/bin/vite.js", "build");
      assert.ok(!existsSync(join(folder, "dist/my_app/service-worker.js")), "it belongs to the page");
      const url = await started(t, folder, vite, ["preview", ...(await listen())]);
      const { page, context } = await added(t, url, "Milk");
      await page.waitForFunction(
        async () => (await navigator.serviceWorker.getRegistration())?.active?.state === "activated",
      );
      await context.setOffline(true);
      await page.reload();
      await page.locator("li.saved", { hasText: "Milk" }).waitFor();
    });
    const { json } = await send(ravendb.url, "GET", `/databases/${name}/docs?startsWith=tasks/`);
    assert.deepEqual(json.Results.map(({ title }) => title).sort(), ["Bread", "Milk", "Tea"]);
  });

/** Signs in to the starter, and adds a task. */
async function added(t, url, title) {
  const { context, problems } = await profile(t);
  const page = await context.newPage();
  await page.goto(url);
  await page.fill("[name=name]", "ann");
  await page.click("text=Sign in");
  await page.fill("[name=title]", title);
  await page.click("text=Add");
  await page.locator("li.saved", { hasText: title }).waitFor();
  assert.deepEqual(problems, []);
  return { page, context };
}
