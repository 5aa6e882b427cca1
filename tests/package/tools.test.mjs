// Tools with which apps are built and run: each gets the tarball and no configuration for the package. Tools that
// this repository does not use itself are downloaded, with `cargo xtask test --full`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { blocksOf } from "../docs/blocks.mjs";
import { saving } from "../support/app-code.mjs";
import { missingChromium, visit } from "../support/chromium.mjs";
import { after } from "../support/cleanup.mjs";
import { packed, project, root, run } from "../support/packed.mjs";
import { serve } from "../support/serve.mjs";
import { counter, database, document, missing, putDocument, ravendb } from "../support/server.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const LIMIT = 240_000;

const HTML = (script) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title></title></head><body><script type="module" src="${script}"></script></body></html>`;

const APP = (name) => `import { DocumentStore } from "raven-edge";
async function main() {${saving("/raven", name)}document.title = "saved " + order.id;}
main().catch((error) => { document.title = "failed: " + error.stack; });
`;

const npx = (folder, ...command) =>
  run("npx", ["--no-install", ...command], { cwd: folder, timeout: 120_000, maxBuffer: 1 << 26 });

/** How each tool builds files from `main.js` (and `index.html`, if it uses one). */
const BUNDLERS = [
  // ES2020 has no fields of classes: they become assignments, as with Vite 5 and 6 by default.
  ...["esnext", "es2020"].map((target) => ({
    name: `esbuild for ${target}`,
    build: async (folder) => {
      const { build } = await import("esbuild");
      await build({
        entryPoints: [join(folder, "main.js")],
        bundle: true,
        splitting: true,
        format: "esm",
        outdir: join(folder, "dist"),
        logLevel: "error",
        target,
      });
    },
  })),
  {
    name: "webpack 5",
    build: async (folder) => {
      const webpack = createRequire(join(root, "package.json"))("webpack");
      const compiler = webpack({
        mode: "production",
        context: folder,
        entry: "./main.js",
        output: { path: join(folder, "dist") },
      });
      const stats = await new Promise((resolve, reject) =>
        compiler.run((error, stats) => (error ? reject(error) : resolve(stats))),
      );
      assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }), {
        errors: [],
        warnings: [],
      });
    },
  },
  ...["5.4.9", "6.4.6", "7.3.8"].map((version) => ({
    name: `Vite ${version}`,
    tools: [`vite@${version}`],
    html: true,
    build: (folder) => npx(folder, "vite", "build"),
  })),
  {
    name: "Rollup 4.68.7",
    tools: ["rollup@4.68.7", "@rollup/plugin-node-resolve@16.0.3"],
    build: (folder) =>
      npx(folder, "rollup", "main.js", "-d", "dist", "-f", "es", "-p", "node-resolve={browser:true}"),
  },
  {
    name: "Rspack 2.3.2",
    tools: ["@rspack/core@2.3.2", "@rspack/cli@2.2.8"],
    build: (folder) => npx(folder, "rspack", "build", "--entry", "./main.js", "--mode", "production"),
  },
  {
    name: "Parcel 2.16.4",
    tools: ["parcel@2.16.4"],
    html: true,
    type: "commonjs",
    build: (folder) => npx(folder, "parcel", "build", "index.html", "--no-cache"),
  },
];

async function saved(t, folder, name, options) {
  const site = await serve(t, { folder, raven: ravendb.url, ...options });
  const { page, problems } = await visit(t, site.url);
  await page.waitForFunction(() => globalThis.document.title !== "", undefined, { timeout: 20_000 });
  assert.equal(await page.title(), "saved orders/1-A");
  assert.deepEqual(problems, []);
  await isThere(name);
  return site;
}

async function isThere(name) {
  assert.equal((await document(ravendb, name, "orders/1-A"))?.total, 5);
  assert.equal(await counter(ravendb, name, "orders"), 1);
}

/** Downloaded tools run with `--full` only. */
function tool({ name, tools = [] }, body, skip = missingChromium) {
  if (tools.length > 0 && !full) return;
  test(`${name} saves a document`, { skip: skip || missing(ravendb), timeout: LIMIT }, async (t) =>
    body(t, await database(t, ravendb)),
  );
}

for (const bundler of BUNDLERS)
  tool(bundler, async (t, name) => {
    const { tools = [], html, type, build } = bundler;
    const content = { "main.js": APP(name), ...(html && { "index.html": HTML("./main.js") }) };
    const folder = await project(`app-${name}`, content, { tools, type });
    await build(folder);
    await saved(t, join(folder, "dist"), name, html ? {} : { pages: { "/": HTML("/main.js") } });
  });

/** Only scripts of the same origin; no `eval`. */
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types";

tool({ name: "a page without a bundler, under a strict policy," }, async (t, name) => {
  const folder = await project(`plain-${name}`, {
    "index.html": HTML("/main.js"),
    "main.js": APP(name).replace('"raven-edge"', '"/node_modules/raven-edge/lib/entries/web.js"'),
  });
  const site = await saved(t, folder, name, { headers: { "content-security-policy": STRICT } });
  assert.ok(site.requests.some((path) => path.endsWith("raven_edge_bg.wasm")));
});

for (const [kind, start] of [
  ["a module worker", 'new Worker("/worker.js", { type: "module" }).onmessage = show;'],
  [
    "a shared worker",
    'const shared = new SharedWorker("/worker.js", { type: "module" }); shared.port.onmessage = show;',
  ],
  [
    "a service worker",
    'navigator.serviceWorker.onmessage = show; navigator.serviceWorker.register("/worker.js", { type: "module" });',
  ],
])
  tool({ name: kind }, async (t, name) => {
    const folder = await project(`worker-${name}`, {
      "index.html": HTML("/main.js"),
      "main.js": `const show = ({ data }) => { document.title = data; };\n${start}`,
      "worker.js": `import { DocumentStore } from "/node_modules/raven-edge/lib/entries/web.js";
async function main() {${saving("/raven", name)}return "saved " + order.id;}
const result = main().catch((error) => "failed: " + error.stack);
if (globalThis.registration) addEventListener("install", (event) => event.waitUntil(result.then(async (text) => {
  for (const client of await clients.matchAll({ includeUncontrolled: true })) client.postMessage(text);
})));
else if (globalThis.SharedWorkerGlobalScope) onconnect = ({ ports: [port] }) => result.then((text) => port.postMessage(text));
else result.then((text) => postMessage(text));`,
    });
    await saved(t, folder, name);
  });

tool(
  { name: "require() in Node, also where ES modules cannot be required" },
  async (_, name) => {
    const text = `const { DocumentStore } = require("raven-edge");
(async () => {${saving(ravendb.url, name)}console.log(order.id);})();`;
    const folder = await project(`require-${name}`, { "main.cjs": text });
    const flags = process.allowedNodeEnvironmentFlags.has("--experimental-require-module")
      ? ["--no-experimental-require-module"]
      : [];
    const { stdout, stderr } = await run(process.execPath, [...flags, "main.cjs"], {
      cwd: folder,
      timeout: 30_000,
    });
    assert.deepEqual([stdout.trim(), stderr], ["orders/1-A", ""]);
    await isThere(name);
  },
  false,
);

const SPEC = (name, head) => `${head}
test("saves", async () => {${saving(ravendb.url, name)}expect(order.id).toBe("orders/1-A"); });`;

for (const [name, tools, file, head, command] of [
  [
    "vitest 5.1.1",
    ["vitest@5.1.1"],
    "order.test.js",
    'import { expect, test } from "vitest"; import { DocumentStore } from "raven-edge";',
    ["vitest", "run"],
  ],
  [
    "jest 30.5.2",
    ["jest@30.5.2"],
    "order.test.js",
    'import { DocumentStore } from "raven-edge";',
    ["--node-options=--experimental-vm-modules", "jest"],
  ],
  [
    "jest 30.5.2, required",
    ["jest@30.5.2"],
    "order.test.js",
    'const { DocumentStore } = require("raven-edge");',
    ["jest"],
  ],
])
  tool(
    { name, tools },
    async (_, base) => {
      const folder = await project(`runner-${base}`, { [file]: SPEC(base, head) }, { tools });
      await npx(folder, ...command);
      await isThere(base);
    },
    false,
  );

tool({ name: "Vite 8's dev server" }, async (t, name) => {
  const folder = await project(`dev-${name}`, { "index.html": HTML("/main.js"), "main.js": APP(name) });
  // The proxy belongs to the app: RavenDB refuses foreign origins.
  const script = `import { createServer } from ${JSON.stringify(join(root, "node_modules/vite/dist/node/index.js"))};
const server = await createServer({ root: ${JSON.stringify(folder)}, logLevel: "error", server: { port: 0, host: "127.0.0.1", proxy: {
  "/raven": { target: ${JSON.stringify(ravendb.url)}, rewrite: (path) => path.slice(6), headers: { origin: "" }, configure: (proxy) => proxy.on("proxyReq", (request) => request.removeHeader("origin")) } } } });
await server.listen();
console.log(server.resolvedUrls.local[0]);`;
  const server = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
  after(t, () => server.kill());
  const url = await new Promise((resolve, reject) => {
    server.stdout.once("data", (text) => resolve(String(text).trim()));
    server.once("exit", reject);
  });
  const { page, problems } = await visit(t, url);
  await page.waitForFunction(() => globalThis.document.title !== "", undefined, { timeout: 20_000 });
  assert.equal(await page.title(), "saved orders/1-A");
  assert.deepEqual(problems, []);
  await isThere(name);
});

/** A route that saves, in the runtime that the app chooses. */
const ROUTE = (name, runtime) => `import { DocumentStore } from "raven-edge";
export const dynamic = "force-dynamic";
export const runtime = "${runtime}";
export async function GET() {${saving(ravendb.url, name)}return new Response(order.id); }`;

/** The component of docs/frameworks.md in a page, and both routes. */
const NEXT = (orders, node, edge) => ({
  "app/layout.js":
    'export default ({ children }) => <html lang="en"><head><title></title></head><body>{children}</body></html>;',
  "app/page.js": `import { Orders } from "./orders.js";
export default function Page() { return <Orders />; }`,
  "app/orders.js": orders,
  "app/node/route.js": ROUTE(node, "nodejs"),
  "app/edge/route.js": ROUTE(edge, "edge"),
});

const REACT = ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"];

tool(
  { name: "Next.js 16.4.6: client component with hooks, route handler and edge route, each", tools: REACT },
  async (t, name) => {
    const [node, edge] = [await database(t, ravendb), await database(t, ravendb)];
    const { code } = blocksOf("docs/frameworks.md").find(
      ({ options }) => options["tested-by"] === "tests/package/tools.test.mjs",
    );
    const orders = code.replace('"Shop"', JSON.stringify(name));
    const folder = await project(`next-${name}`, NEXT(orders, node, edge), { tools: REACT });
    await npx(folder, "next", "build");
    const next = join(folder, "node_modules/next/dist/bin/next");
    const server = spawn(process.execPath, [next, "start", "-p", "0"], { cwd: folder });
    after(t, () => server.kill());
    const url = await new Promise((resolve, reject) => {
      server.stdout.on("data", (text) => {
        const address = /http:\/\/localhost:\d+/.exec(text);
        if (address) resolve(address[0]);
      });
      server.once("exit", reject);
    });
    for (const [path, base] of [
      ["node", node],
      ["edge", edge],
    ]) {
      assert.equal(await (await fetch(`${url}/${path}`)).text(), "orders/1-A");
      await isThere(base);
    }
    const site = await serve(t, { app: url, raven: ravendb.url });
    const { page, problems } = await visit(t, site.url);
    await putDocument(ravendb, name, "orders/a", { total: 1, "@metadata": { "@collection": "Orders" } });
    await page.locator("li", { hasText: "orders/a: 1" }).waitFor();
    await page.click("text=Add");
    await page.locator("li", { hasText: "orders/1-A: 5" }).waitFor();
    assert.deepEqual(problems, []);
    await isThere(name);
  },
);

test("`publint` and `attw` report nothing", { timeout: LIMIT }, async () => {
  const bin = (name) => join(root, "node_modules/.bin", name);
  const { stdout } = await run(bin("publint"), ["run", packed.tarball, "--strict"]);
  assert.match(stdout, /All good!/);
  // Modules for pages and Workers cannot be required; the wasm module is not a JavaScript module.
  const rules = ["--ignore-rules", "cjs-resolves-to-esm", "--exclude-entrypoints", "raven_edge.wasm"];
  await run(bin("attw"), [packed.tarball, ...rules, "--quiet"]);
});
