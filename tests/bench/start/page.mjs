// First visits of a page in Chromium, with 100 ms of latency and 10 Mbit/s: this package, ids alone, and a page that uses `fetch`
// by hand. Prints JSON: by page and visit (`cold`: nothing is cached; `warm`: the page was visited before), median milliseconds from
// the navigation until the module's bytes are there (0: from the cache), until the first id, and until the first saved document.
// Needs SERVER_URL: the server behind `/raven`. With `HTTP2=1` the site speaks HTTP/2.
import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import http2 from "node:http2";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { build } from "vite";
import { PLAYWRIGHT_FLAGS, path as program } from "../../support/browsers/chromium.mjs";
import { create } from "../../support/server.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 7);
/** Milliseconds per request, and bytes per second. */
const NETWORK = { offline: false, latency: 100, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
const DATABASE = `Start${process.pid}`;
const entry = (name) => fileURLToPath(new URL(`../../../pkg/lib/entries/${name}.js`, import.meta.url));
const alias = { "raven-edge/hilo": entry("hilo/web"), "raven-edge": entry("web") };

const DONE = "globalThis.done = true;";
const session = (order, registered = "") => `
  import { DocumentStore } from "raven-edge";
  const store = new DocumentStore("/raven", "${DATABASE}");
  ${registered}
  const session = store.initialize().openSession();
  const order = ${order};
  await session.store(order);
  performance.mark("id");
  await session.saveChanges();
  performance.mark("saved");
  ${DONE}`;

/** A page whose HTML asks for the module, as `docs/getting-started.md` recommends. */
const PRELOADED = "raven-edge, preload";

const PAGES = {
  "raven-edge": session('{ "@metadata": { "@collection": "Orders" } }'),
  [PRELOADED]: session('{ "@metadata": { "@collection": "Orders" } }'),
  "raven-edge, class": session(
    "new Order()",
    'class Order {} store.conventions.registerEntityType(Order, "Order");',
  ),
  "raven-edge/hilo": `
    import { HiLoStore } from "raven-edge/hilo";
    await new HiLoStore("/raven", "${DATABASE}").initialize().hilo("orders").next();
    performance.mark("id");
    ${DONE}`,
  "by hand": `
    const url = "/raven/databases/${DATABASE}";
    const lease = await (await fetch(url + "/hilo/next?tag=orders&lastBatchSize=0&identityPartsSeparator=/")).json();
    const id = lease.Prefix + lease.Low + "-" + lease.ServerTag;
    performance.mark("id");
    const Document = { "@metadata": { "@collection": "Orders" } };
    const command = { Type: "PUT", Id: id, ChangeVector: "", Document };
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ Commands: [command] });
    const saved = await fetch(url + "/bulk_docs", { method: "POST", headers, body });
    if (!saved.ok) throw new Error(await saved.text());
    performance.mark("saved");
    ${DONE}`,
};

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** The files of a page, as an app builds it, by path. */
async function built(script, isPreloaded) {
  const root = await mkdtemp(join(tmpdir(), "raven-edge-start-"));
  try {
    await writeFile(
      join(root, "index.html"),
      '<!doctype html><script type="module" src="/main.js"></script>',
    );
    await writeFile(join(root, "main.js"), script);
    await build({
      root,
      logLevel: "error",
      resolve: { alias: Object.entries(alias).map(([find, replacement]) => ({ find, replacement })) },
      build: { target: "esnext", assetsInlineLimit: 0 },
    });
    const dist = join(root, "dist");
    const files = new Map();
    for (const name of await readdir(dist, { recursive: true })) {
      const type = TYPES[extname(name)];
      if (type)
        files.set(`/${name}`, { type, body: gzipSync(await readFile(join(dist, name)), { level: 9 }) });
    }
    const html = await readFile(join(dist, "index.html"), "utf8");
    const module = [...files.keys()].find((name) => name.endsWith(".wasm"));
    const link = isPreloaded ? `<link rel="preload" as="fetch" crossorigin href="${module}">` : "";
    files.set("/", { type: TYPES[".html"], body: gzipSync(html.replace("<script", `${link}<script`)) });
    return files;
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Key and certificate of the site for HTTP/2, and the flag by which Chromium trusts it. */
function certificate() {
  const folder = mkdtempSync(join(tmpdir(), "raven-edge-start-"));
  try {
    const [key, cert] = ["key", "cert"].map((name) => join(folder, name));
    const kind = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1".split(
      " ",
    );
    execFileSync("openssl", ["req", ...kind, "-keyout", key, "-out", cert], { stdio: "pipe" });
    const own = { key: readFileSync(key), cert: readFileSync(cert) };
    const { publicKey } = new X509Certificate(own.cert);
    const hash = createHash("sha256")
      .update(publicKey.export({ type: "spki", format: "der" }))
      .digest("base64");
    return { ...own, flag: `--ignore-certificate-errors-spki-list=${hash}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What HTTP/2 has no headers for. */
const OF_CONNECTIONS = ["connection", "keep-alive", "transfer-encoding"];

/** Headers without those of a hop, as both versions of HTTP take them. */
const passedOn = (headers) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith(":") && !OF_CONNECTIONS.includes(name)),
  );

/** A site with these files, compressed; `/raven` is the server. `secure`: for HTTP/2. */
async function site(files, raven, secure) {
  const open = secure ? (respond) => http2.createSecureServer(secure, respond) : http.createServer;
  const server = open((request, response) => {
    const file = files.get(request.url);
    if (!file && request.url.startsWith("/raven/")) {
      const { origin: _, host: __, ...headers } = passedOn(request.headers);
      const target = new URL(request.url.slice("/raven".length), raven);
      const sent = http.request(target, { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode, passedOn(answer.headers));
        answer.pipe(response);
      });
      sent.on("error", () => response.destroy());
      request.pipe(sent);
    } else if (file) {
      response.writeHead(200, {
        "content-type": file.type,
        "content-encoding": "gzip",
        "cache-control": file.type === TYPES[".html"] ? "no-cache" : "max-age=31536000, immutable",
      });
      response.end(file.body);
    } else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http${secure ? "s" : ""}://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections?.();
      server.close();
    },
  };
}

/** A visit in a tab: milliseconds since the navigation, by event; and the requests, for `VERBOSE=1`. */
async function visit(context, url) {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", NETWORK);
  const failed = new Promise((_, reject) => {
    page.on("pageerror", reject);
  });
  await page.goto(url);
  await Promise.race([page.waitForFunction(() => globalThis.done, null, { polling: 20 }), failed]);
  const times = await page.evaluate(() => {
    const at = (name) => performance.getEntriesByName(name)[0]?.startTime;
    const resources = performance.getEntriesByType("resource");
    const module = resources.find(({ name }) => /\.wasm$/.test(name));
    return {
      module: module && (module.transferSize > 0 ? module.responseEnd : 0),
      id: at("id"),
      saved: at("saved"),
      requests: resources.map(({ name, startTime, responseEnd }) => [name, startTime, responseEnd]),
    };
  });
  await page.close();
  return times;
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

await create({ url: process.env.SERVER_URL }, DATABASE);
const secure = process.env.HTTP2 ? certificate() : undefined;
const browser = await chromium.launch({
  executablePath: program,
  args: secure ? [...PLAYWRIGHT_FLAGS, secure.flag] : PLAYWRIGHT_FLAGS,
});
const figures = {};
try {
  const sites = [];
  for (const [name, script] of Object.entries(PAGES))
    sites.push([
      name,
      await site(await built(script, name === PRELOADED), process.env.SERVER_URL, secure),
      { cold: [], warm: [] },
    ]);
  // In turn, so that other load on the machine affects all pages.
  for (let round = 0; round < ROUNDS; round++) {
    for (const [, { url }, visits] of sites) {
      const context = await browser.newContext();
      // Requests of a page that closes do not outlive the last tab.
      await context.newPage();
      for (const kind of ["cold", "warm"]) visits[kind].push(await visit(context, url));
      await context.close();
    }
  }
  for (const [name, { close }, visits] of sites) {
    close();
    figures[name] = {};
    for (const [kind, list] of Object.entries(visits)) {
      if (process.env.VERBOSE) console.error(name, kind, list[0]);
      const of = (event) => (list[0][event] === undefined ? null : median(list.map((times) => times[event])));
      figures[name][kind] = { module: of("module"), id: of("id"), saved: of("saved") };
    }
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(figures));
