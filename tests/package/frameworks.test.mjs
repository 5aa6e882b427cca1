// What docs/frameworks.md says of React, with the package from npm pack, installed once: the starter of templates/worker-react (its types, its
// first page, an edit and a start without a connection, a sign-out that leaves nothing of the user), and server-side rendering.
import assert from "node:assert/strict";
import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { blocksOf } from "../docs/blocks.mjs";
import { assets } from "../support/assets.mjs";
import { missingChromium, profile, visit } from "../support/chromium.mjs";
import { project, root, run } from "../support/packed.mjs";
import { serve } from "../support/serve.mjs";
import { database, missing, putDocument, ravendb, send } from "../support/server.mjs";
import { workerd } from "../support/workerd.mjs";

const TEMPLATE = join(root, "templates/worker-react");
const SECRETS = { GATEWAY_SECRET: "g".repeat(40), SESSION_SECRET: "s".repeat(40) };
const INSTALLED = ["react", "react-dom", "vite", "@types/react", "@types/node"];

/** All that is in databases of the page, as text. */
async function onDevice() {
  const found = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const texts = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await found(indexedDB.open(name));
    for (const store of database.objectStoreNames)
      texts.push(JSON.stringify(await found(database.transaction(store).objectStore(store).getAll())));
    database.close();
  }
  return texts.join();
}

const RENDER = `
import { render } from "./server.js";
globalThis.fetch = async (url) => { throw new Error("requested: " + url); };
const events = [];
process.on("unhandledRejection", (error) => events.push(String(error)));
const html = render();
// What a hook had begun would have run by then.
await new Promise((resolve) => setImmediate(resolve));
console.log(JSON.stringify({ html, events }));`;

const client = (name) => `
import { createElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { DocumentStore } from "raven-edge";
import { offline } from "raven-edge/offline";
import { StoreProvider } from "raven-edge/react";
import { Orders } from "./orders.js";
globalThis.failures = [];
const store = new DocumentStore("/raven", "${name}", { offline: offline({ user: "ann" }) }).initialize();
const main = document.querySelector("main");
globalThis.before = main.innerHTML;
hydrateRoot(main, createElement(StoreProvider, { store }, createElement(Orders)), {
  onRecoverableError: (error) => globalThis.failures.push(String(error)),
});`;

test("apps of React with the package from npm pack", {
  skip: missingChromium || missing(ravendb),
  timeout: 240_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const tools = INSTALLED.map((tool) => join(root, "node_modules", tool));
  const folder = await project(`apps-${name}`, {}, { tools });
  await t.test(
    "the starter builds, its first page works, and an edit without a connection is saved later",
    (t) => starter(t, folder, name),
  );
  await t.test(
    "a server that renders reads nothing, and the page takes over and shows documents with their marks",
    (t) => rendered(t, folder, name),
  );
});

async function starter(t, folder, name) {
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  for (const part of ["index.html", "src", "worker", "tsconfig.json", "vite.config.ts", "wrangler.jsonc"])
    await cp(join(TEMPLATE, part), join(folder, part), { recursive: true });
  const given = JSON.parse(await readFile(join(TEMPLATE, "package.json"), "utf8"));
  const unknown = Object.keys(given.dependencies).filter((one) => !(one in dependencies));
  assert.deepEqual(unknown, [], "the test installs what the starter uses");
  // The name of the database is the path of the page's requests, too.
  const store = join(folder, "src/store.ts");
  await writeFile(store, (await readFile(store, "utf8")).replace('"MyApp"', `"${name}"`));
  // The only declarations that this repository does not have.
  await writeFile(join(folder, "src/react-dom.d.ts"), 'declare module "react-dom/client";\n');
  await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit"], { cwd: folder });
  await run(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build"], { cwd: folder });
  const worker = await workerd(t, {
    text: 'export { default } from "./worker/worker.ts";',
    resolveDir: folder,
    compatibilityDate: "2026-04-01",
    bindings: { ...SECRETS, DB_URLS: `${ravendb.url}, https://another.example`, DB_NAME: name },
    more: { serviceBindings: { ASSETS: assets(folder) }, compatibilityFlags: ["enable_request_signal"] },
  });
  const { context, problems } = await profile(t);
  const page = await context.newPage();
  const sees = (selector, text) => page.locator(selector, { hasText: text }).waitFor();
  const add = async (title) => {
    await page.fill("[name=title]", title);
    await page.click("text=Add");
  };
  await page.goto(String(worker.url));
  await page.fill("[name=name]", "ann");
  await page.click("text=Sign in");
  await sees("[role=status]", "everything saved");
  await add("Milk");
  await sees("li.saved", "Milk");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => 0));

  const requested = [];
  await context.setOffline(true);
  await page.reload();
  await sees("li.saved", "Milk");
  page.on("requestfailed", (request) => requested.push(new URL(request.url()).pathname));
  await page.locator("li", { hasText: "Milk" }).locator("input").click();
  await sees("li.queued", "Milk");
  await add("Bread");
  await sees("li.queued", "Bread");
  await sees("[role=status]", "2 not saved");
  const files = requested.filter((path) => !path.startsWith("/raven/"));
  assert.deepEqual(files, [], "the service worker lacks these files");
  await context.setOffline(false);
  await sees("[role=status]", "everything saved");
  await sees("li.saved", "Bread");
  const { json } = await send(ravendb.url, "GET", `/databases/${name}/docs?startsWith=tasks/`);
  assert.deepEqual(json.Results.map(({ owner, title, done }) => `${owner}: ${title} ${done}`).sort(), [
    "ann: Bread false",
    "ann: Milk true",
  ]);

  // A form overwrites nothing that has come since it was opened.
  const other = await context.newPage();
  await other.goto(String(worker.url));
  await page.locator("li", { hasText: "Bread" }).locator("text=Rename").click();
  await page.locator("[name=renamed]").waitFor();
  const bread = json.Results.find(({ title }) => title === "Bread");
  await putDocument(ravendb, name, bread["@metadata"]["@id"], {
    ...bread,
    title: "Rye bread",
    "@metadata": { "@collection": "Tasks" },
  });
  await sees("li", "Rye bread");
  await page.fill("[name=renamed]", "White bread");
  await page.click("text=Save");
  await sees("li.conflict", "White bread");
  await page.click("text=Keep the other");
  await sees("li.saved", "Rye bread");
  await sees("[role=status]", "everything saved");
  await other.locator("li.saved", { hasText: "Rye bread" }).waitFor();

  // When the cookie goes, the device has nothing of the user.
  assert.match(await page.evaluate(onDevice), /Milk/);
  await page.evaluate((source) => {
    const onDevice = new Function(`return ${source}`)();
    const send = globalThis.fetch;
    globalThis.fetch = async (url, init) => {
      if (init?.method === "DELETE") globalThis.left = await onDevice();
      return send(url, init);
    };
  }, String(onDevice));
  await page.click("text=Sign out");
  await page.locator("[name=name]").waitFor();
  assert.doesNotMatch(await page.evaluate(() => globalThis.left), /Milk|Bread/);
  await page.fill("[name=name]", "bob");
  await page.click("text=Sign in");
  await sees("[role=status]", "everything saved");
  assert.equal(await page.locator("li").count(), 0);

  // The other tab follows the sign-out and the sign-in.
  await other.locator("p", { hasText: "bob" }).first().waitFor();
  assert.equal(await other.locator("li").count(), 0);
  assert.deepEqual(problems, []);

  // An expired sign-in, in a tab that does not know yet that another one has signed in somebody else.
  const asked = [];
  other.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await context.clearCookies();
  await other.fill("[name=title]", "Tea");
  await other.click("text=Add");
  await other.locator("text=Sign in again").waitFor();
  await other.evaluate(() => {
    localStorage.user = "ann";
  });
  await other.click("text=Sign in again");
  await other.locator("p", { hasText: "ann" }).first().waitFor();
  assert.ok(!asked.includes("/sign-in"), "the tab has replaced the cookie of another user");
}

async function rendered(t, home, name) {
  const [server, orders] = blocksOf("docs/frameworks.md").map(({ code }) => code);
  const files = { "server.js": server, "orders.js": orders, "run.js": RENDER, "client.js": client(name) };
  // A folder beside the starter: Node and the bundler find the packages.
  const folder = join(home, "rendered");
  await mkdir(join(folder, "site/gen"), { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  // It ends by itself: nothing of the store keeps the process.
  const { stdout } = await run(process.execPath, ["run.js"], { cwd: folder, timeout: 60_000 });
  const { html, events } = JSON.parse(stdout);
  assert.deepEqual([html, events], ["<p>Loading</p>", []]);

  const page = `<!doctype html><meta charset="utf-8"><title>t</title><main>${html}</main><script type="module" src="/client.js"></script>`;
  await build({
    entryPoints: [join(folder, "client.js")],
    bundle: true,
    splitting: true,
    format: "esm",
    define: { "process.env.NODE_ENV": '"production"' },
    outdir: join(folder, "site"),
    logLevel: "error",
  });
  await writeFile(join(folder, "site/index.html"), page);
  const wasm = "gen/raven_edge_bg.wasm";
  await copyFile(join(root, "pkg", wasm), join(folder, "site", wasm));
  await putDocument(ravendb, name, "orders/1", { total: 7, "@metadata": { "@collection": "Orders" } });
  const site = await serve(t, { folder: join(folder, "site"), raven: ravendb.url });
  const { page: tab, problems } = await visit(t, site.url);
  await tab.locator("li.saved", { hasText: "7" }).waitFor();
  assert.equal(
    await tab.evaluate(() => globalThis.before),
    html,
    "the page began with what the server had rendered",
  );
  assert.deepEqual([await tab.evaluate(() => globalThis.failures), problems], [[], []]);
}
