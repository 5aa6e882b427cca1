// What docs/frameworks.md says about server-side rendering, with the package from npm pack: nothing is read on the server, and the page takes
// over what was rendered.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { blocksOf } from "../docs/blocks.mjs";
import { missingChromium, visit } from "../support/chromium.mjs";
import { project, root, run } from "../support/packed.mjs";
import { serve } from "../support/serve.mjs";
import { database, missing, putDocument, ravendb } from "../support/server.mjs";

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

test("a server that renders reads nothing, and the page takes over and shows documents with their marks", {
  skip: missingChromium || missing(ravendb),
  timeout: 240_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const [server, orders] = blocksOf("docs/frameworks.md").map(({ code }) => code);
  const tools = ["react", "react-dom"].map((tool) => join(root, "node_modules", tool));
  const files = { "server.js": server, "orders.js": orders, "run.js": RENDER, "client.js": client(name) };
  const folder = await project(`ssr-${name}`, files, { tools });
  // It ends by itself: nothing of the store keeps the process.
  const { stdout } = await run(process.execPath, ["run.js"], { cwd: folder, timeout: 60_000 });
  const { html, events } = JSON.parse(stdout);
  assert.deepEqual([html, events], ["<p>Loading</p>", []]);

  const page = `<!doctype html><meta charset="utf-8"><title>t</title><main>${html}</main><script type="module" src="/client.js"></script>`;
  await writeFile(join(folder, "index.html"), page);
  await run(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build"], { cwd: folder });
  await putDocument(ravendb, name, "orders/1", { total: 7, "@metadata": { "@collection": "Orders" } });
  const site = await serve(t, { folder: join(folder, "dist"), raven: ravendb.url });
  const { page: tab, problems } = await visit(t, site.url);
  await tab.locator("li.saved", { hasText: "7" }).waitFor();
  assert.equal(
    await tab.evaluate(() => globalThis.before),
    html,
    "the page began with what the server had rendered",
  );
  assert.deepEqual([await tab.evaluate(() => globalThis.failures), problems], [[], []]);
});
