// The starter of templates/worker-react, built with the package from npm pack: its types, its first page, an edit and a start without a
// connection, a sign-out that leaves nothing of the user.
import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assets } from "../support/assets.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { project, root, run } from "../support/packed.mjs";
import { database, missing, ravendb, send } from "../support/server.mjs";
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

test("the starter builds, its first page works, and an edit without a connection is saved later", {
  skip: missingChromium || missing(ravendb),
  timeout: 240_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const tools = INSTALLED.map((tool) => join(root, "node_modules", tool));
  const folder = await project(`starter-${name}`, {}, { tools });
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
  assert.deepEqual(problems, []);
});
