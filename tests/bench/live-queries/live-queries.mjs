// CPU of live queries over 10,000 documents on the device, and of each later change: raven-edge with TanStack DB beside Dexie's `liveQuery`
// and RxDB (storage in IndexedDB), in fresh profiles of Chromium. The peers are installed by npm in target/live-query-peers. They send nothing
// to a server: raven-edge queues without sending, too, and what sending costs is a row of its own. TanStack DB with one put by hand is what
// raven-edge cannot be below.
// `RAVENDB_URL=… CHROMIUM=… node tests/bench/live-queries/live-queries.mjs`
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { bulk } from "../../support/callers.mjs";
import { profile } from "../../support/chromium.mjs";
import { pkg } from "../../support/pages.mjs";
import { root } from "../../support/root.mjs";
import { serve } from "../../support/serve.mjs";
import { database, ravendb } from "../../support/server.mjs";
import * as pages from "./pages.mjs";

const COUNT = 10_000;
const CHANGES = 30;
const PEERS = ["dexie@4.4.7", "rxdb@17.6.0", "rxjs@7.8.2"];
const QUERIES = {
  newest: "status = open, newest 50",
  text: "text contains, newest 50",
  all: "text contains, all 1,000, ordered",
};

const documents = Array.from({ length: COUNT }, (_, at) => ({
  id: `notes/${at}`,
  status: at % 3 ? "open" : "done",
  at,
  text: `${at % 10 === 1 ? pages.NEEDLE : "hay"} ${"lorem ipsum dolor sit amet ".repeat(4)}`,
}));

function installed() {
  const folder = join(root, "target/live-query-peers");
  if (existsSync(join(folder, "node_modules/rxdb"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...PEERS], { cwd: folder, stdio: "inherit" });
  return folder;
}

async function bundled(contents, resolveDir) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    external: ["raven-edge", "raven-edge/*"],
    write: false,
    logLevel: "error",
  });
  return outputFiles[0].text;
}

const IMPORTS = {
  "raven-edge": "/lib/entries/web.js",
  "raven-edge/offline": "/lib/entries/offline.js",
  "raven-edge/tanstack-db": "/lib/tanstack-db/collection-options.js",
  "@tanstack/db": "/tanstack.js",
};

/** A page of an engine, in a profile of its own; `cpu()`: seconds of its main thread. */
async function opened(t, code, more = {}) {
  const script = (text) => (_, response) =>
    response.writeHead(200, { "content-type": "text/javascript" }).end(text);
  const page = `<!doctype html><meta charset=utf-8><title>bench</title>
    <script type=importmap>${JSON.stringify({ imports: IMPORTS })}</script><script type=module src=/engine.js></script>`;
  const handlers = {
    "/engine.js": script(code),
    ...(more.tanstack && { "/tanstack.js": script(more.tanstack) }),
  };
  const site = await serve(t, { folder: pkg, pages: { "/": page }, handlers, raven: ravendb.url });
  const { open, context } = await profile(t);
  const tab = await open(site.url);
  tab.setDefaultTimeout(0);
  await tab.waitForFunction(() => globalThis.ready);
  const devtools = await context.newCDPSession(tab);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpu = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1_000;
  };
  return { tab, cpu, site };
}

async function measured({ tab, cpu }) {
  const rows = {};
  // Documents that the queries have, each becomes the first.
  const ids = Array.from({ length: CHANGES }, (_, at) => `notes/${(at + 1) * 30 + 1}`);
  let from = COUNT;
  /** CPU and elapsed time of a change; `make`: `change`, `put` or `send` of the page. */
  const changed = async (make) => {
    from += 1_000;
    const [start, started] = [await cpu(), performance.now()];
    await tab.evaluate(
      async ([make, ids, from]) => {
        for (const [at, id] of ids.entries()) await globalThis[make](id, from + at);
      },
      [make, ids, from],
    );
    return [((await cpu()) - start) / CHANGES, (performance.now() - started) / CHANGES];
  };
  // Compiles the code.
  await changed("put");
  const [alone] = await changed("put");
  for (const name of Object.keys(QUERIES)) {
    const before = await cpu();
    const began = performance.now();
    await tab.evaluate((name) => query(name), name);
    const query = (await cpu()) - before;
    const queryTime = performance.now() - began;
    const [change, changeTime] = await changed("change");
    rows[name] = { query, queryTime, change, changeTime };
  }
  return { rows, alone, changed };
}

const ms = (value) => `${value.toFixed(1)} ms`;

test("live queries", { timeout: 1_200_000 }, async (t) => {
  const peers = installed();
  const results = {};
  const tanstack = await bundled('export * from "@tanstack/db";', root);
  for (const [name, source] of [
    ["Dexie", await bundled(pages.dexie, peers)],
    ["RxDB", await bundled(pages.rxdb, peers)],
    ["TanStack DB and IndexedDB by hand", pages.byHand],
  ]) {
    const page = await opened(t, source, { tanstack });
    await page.tab.evaluate((documents) => begin(documents), documents);
    results[name] = await measured(page);
    await page.tab.close();
  }
  const base = await database(t, ravendb);
  for (let from = 0; from < COUNT; from += 1_000) {
    const some = documents
      .slice(from, from + 1_000)
      .map(({ id, ...fields }) => [id, { ...fields, "@metadata": { "@collection": "Notes" } }]);
    await bulk(ravendb, base, Object.fromEntries(some));
  }
  const page = await opened(t, pages.raven, { tanstack });
  await page.tab.evaluate((base) => begin(base), base);
  results["raven-edge"] = await measured(page);
  await page.tab.evaluate(() => globalThis.end());
  const [queued] = await results["raven-edge"].changed("queue");
  await page.tab.evaluate(() => store.offline.flush({ timeout: 600_000 }));
  await page.tab.evaluate(() => query("newest"));
  await page.tab.evaluate(() => sync());
  const [sent, sentTime] = await results["raven-edge"].changed("send");
  // A change of another client, from the comparison of the set on.
  await page.tab.evaluate(() => sync());
  await bulk(ravendb, base, {
    "notes/1": { ...documents[1], at: 9_000_000, "@metadata": { "@collection": "Notes" } },
  });
  const before = await page.cpu();
  await page.tab.evaluate(async () => {
    const seen = until((ids) => ids[0] === "notes/1");
    await sync();
    await seen;
  });
  const compared = (await page.cpu()) - before;
  console.log(`CPU of the page's main thread (elapsed time), ${COUNT} documents, ${CHANGES} changes each`);
  for (const [name, what] of Object.entries(QUERIES))
    for (const [engine, { rows, alone }] of Object.entries(results)) {
      const { query, queryTime, change, changeTime } = rows[name];
      const share = `of it the live query ${ms(change - alone)}`;
      console.log(
        `${what} | ${engine} | first ${ms(query)} (${ms(queryTime)}) | each change ${ms(change)} (${ms(changeTime)}), ${share}`,
      );
    }
  for (const [engine, { alone }] of Object.entries(results))
    console.log(`a change without a live query | ${engine} | ${ms(alone)}`);
  console.log(`a change that a session queues, without a live query, raven-edge: ${ms(queued)}`);
  console.log(
    `a change that is sent at once, in a request of its own, ${QUERIES.newest}, raven-edge: ${ms(sent)} (${ms(sentTime)})`,
  );
  console.log(`a change of another client by a comparison of the set, raven-edge: ${ms(compared)}`);
});
