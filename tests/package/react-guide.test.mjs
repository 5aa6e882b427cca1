// The app of docs/react.md, built from the page's files with the package from npm pack: it shows, creates and saves notes, also those that
// were written without a connection, and those of another device.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { blocksOf } from "../docs/blocks.mjs";
import { assets } from "../support/assets.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { project, root, run } from "../support/packed.mjs";
import { database, missing, putDocument, ravendb, send } from "../support/server.mjs";
import { workerd } from "../support/workerd.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const PAGE = "docs/react.md";
const SECRETS = { GATEWAY_SECRET: "g".repeat(40), SESSION_SECRET: "s".repeat(40) };
const installed = ["react", "react-dom"].map((name) => join(root, "node_modules", name));
const downloaded = ["react@19", "react-dom@19", "vite@8.3.8", "vite-plugin-pwa@2.0.0"];

/** The files of the app: the name is in bold before each block. */
function filesOf(name) {
  const text = blocksOf(PAGE).filter(({ options }) => options["tested-by"]);
  const names = ["index.html", "store.js", "main.jsx", "vite.config.js", "worker.js", "wrangler.jsonc"];
  assert.equal(text.length, names.length);
  // The name of the database, not that of the collection.
  const own = (code) => code.replace(/("\/raven", |database: )"Notes"/, `$1"${name}"`);
  const files = Object.fromEntries(names.map((file, at) => [file, own(text[at].code)]));
  files["sign-in.js"] = blocksOf("docs/gateway-worker.md").find(({ code }) =>
    code.includes("export async function signedIn"),
  ).code;
  return files;
}

test("the app of the guide saves what was written without a connection", {
  skip: missingChromium || missing(ravendb),
  timeout: 240_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const { "vite.config.js": config, ...rest } = filesOf(name);
  // Without `--full` nothing is downloaded, and the app has no service worker.
  const files = full ? { ...rest, "vite.config.js": config } : rest;
  const folder = await project(`react-${name}`, files, { tools: full ? downloaded : installed });
  const vite = join(full ? folder : root, "node_modules/vite/bin/vite.js");
  await run(process.execPath, [vite, "build"], { cwd: folder });
  const worker = await workerd(t, {
    text: files["worker.js"],
    resolveDir: folder,
    compatibilityDate: JSON.parse(files["wrangler.jsonc"]).compatibility_date,
    bindings: { ...SECRETS, RAVENDB_URL: ravendb.url },
    more: { serviceBindings: { ASSETS: assets(folder) } },
  });
  const { context } = await profile(t);
  const page = await context.newPage();
  const sees = (selector, text) => page.locator(selector, { hasText: text }).waitFor();
  await page.goto(String(worker.url));
  await page.fill("[name=name]", "ann");
  await page.click("text=Sign in");
  const sent = page.waitForResponse(/bulk_docs$/);
  await page.fill("[name=text]", "Milk");
  await page.click("text=Add");
  await sees("li", "Milk");
  await sent;
  await sees("[role=status]", "everything saved");

  if (full) await page.evaluate(() => navigator.serviceWorker.ready.then(() => 0));
  await context.setOffline(true);
  if (full) await page.reload();
  await sees("li", "Milk");
  await page.fill("[name=text]", "Bread");
  await page.click("text=Add");
  await sees("li", "Bread");
  await sees("[role=status]", "1 not saved");
  const milk = page.locator("li", { hasText: "Milk" });
  await milk.getByText("Delete").click();
  await milk.waitFor({ state: "detached" });
  await sees("[role=status]", "2 not saved");
  await context.setOffline(false);
  await sees("[role=status]", "everything saved");
  const { json } = await send(ravendb.url, "GET", `/databases/${name}/docs?startsWith=notes/`);
  assert.deepEqual(
    json.Results.map(({ owner, text }) => `${owner}: ${text}`),
    ["ann: Bread"],
  );

  const tea = { owner: "ann", text: "Tea", at: new Date().toISOString() };
  await putDocument(ravendb, name, "notes/1-B", { ...tea, "@metadata": { "@collection": "Notes" } });
  await sees("li", "Tea");
});
