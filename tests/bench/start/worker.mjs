// Cold starts in workerd: this package and npm `ravendb`, each in a Worker that gets its first id from a hub on
// loopback. Prints JSON: median milliseconds, and gzipped bytes of the upload.
// Needs SERVER_URL: the server that the hub leases from.
//
// workerd's clock does not advance while code runs, so time is measured outside: from the start of the process to the
// first response, minus the time of an empty Worker. Each client is measured twice: minified, and as `wrangler
// deploy` uploads it by default.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { prepare, start } from "../../support/own-workerd.mjs";
import { create } from "../../support/server.mjs";

// With 25 rounds the medians differ by a tenth between runs.
const ROUNDS = Number(process.env.ROUNDS ?? 100);
const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const alias = {
  "raven-edge/hub": file("../../../pkg/lib/entries/hub.js"),
  "raven-edge/hilo": file("../../../pkg/lib/entries/hilo/workerd.js"),
  "raven-edge": file("../../../pkg/lib/entries/workerd.js"),
};

const HUB = `
  import { hub } from "raven-edge/hub";
  const { LeaseHub, fetch } = hub({ upstream: (env) => env.URL, namespace: (env) => env.HUB });
  export { LeaseHub };
  export default { fetch };`;

/** \`/ready\`: the client can be used; \`/id\`: an id. */
const worker = (imports, ready, id) => `
  ${imports}
  let store;
  export default {
    async fetch(request, env) {
      const { pathname } = new URL(request.url);
      if (pathname === "/ready") { ${ready} return new Response("ready"); }
      ${id}
    },
  };`;

const STORE = 'store ??= new DocumentStore(env.URL, "Shop");';
const WORKERS = {
  empty: worker("", "", 'return new Response("none");'),
  us: worker(
    'import { DocumentStore } from "raven-edge";',
    `${STORE} store.initialize(); await store.ready();`,
    'return new Response(await store.hilo("orders").next());',
  ),
  ids: worker(
    'import { HiLoStore } from "raven-edge/hilo";',
    'store ??= new HiLoStore(env.URL, "Shop"); store.initialize(); await store.ready();',
    'return new Response(await store.hilo("orders").next());',
  ),
  peer: worker(
    'import { DocumentStore } from "ravendb";',
    `${STORE} store.conventions.findCollectionNameForObjectLiteral = () => "Orders"; store.initialize();`,
    `const session = store.openSession();
     const order = {};
     await session.store(order);
     return new Response(session.advanced.getDocumentId(order));`,
  ),
};
const COMPAT = { flags: ["nodejs_compat"], external: ["node:*"] };
const CLIENTS = { us: {}, ids: {}, peer: COMPAT };
const MORE = { empty: {}, ...CLIENTS, bare: { ...COMPAT, external: ["node:*", "undici", "ws"] } };
for (const name in CLIENTS) MORE[`${name}Plain`] = { ...CLIENTS[name], minify: false };

const made = [];

async function folderFor(name, vars, options = {}) {
  const folder = await mkdtemp(join(tmpdir(), `raven-edge-cold-${name}-`));
  made.push(folder);
  const text = { hub: HUB, bare: WORKERS.peer, ...WORKERS }[name.replace("Plain", "")];
  return prepare({
    folder,
    worker: text,
    resolveDir: file("."),
    alias,
    compatibilityDate: "2026-04-01",
    vars,
    minify: true,
    ...options,
  });
}

/** The upload: the scripts and modules of a folder, each compressed. */
async function bytes(folder) {
  const files = (await readdir(folder)).filter((name) => /\.(mjs|wasm)$/.test(name));
  const sizes = await Promise.all(
    files.map(async (name) => gzipSync(await readFile(join(folder, name)), { level: 9 }).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function run(folder) {
  const from = performance.now();
  const worker = await start(folder);
  try {
    const ask = async (path) => {
      const response = await fetch(worker.url + path);
      const text = await response.text();
      if (!response.ok) throw new Error(`${folder}${path}: ${response.status} ${text}`);
      return text;
    };
    await ask("/ready");
    const ready = performance.now();
    const id = await ask("/id");
    return { ready: ready - from, id: performance.now() - ready, text: id };
  } finally {
    await worker.stop();
  }
}

function shuffled(names) {
  const order = new Map(names.map((name) => [name, Math.random()]));
  return names.sort((a, b) => order.get(a) - order.get(b));
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

await create({ url: process.env.SERVER_URL }, "Shop");
const hub = await start(
  await folderFor("hub", { URL: process.env.SERVER_URL }, { objects: { HUB: "LeaseHub" } }),
);
try {
  const folders = {};
  for (const name in MORE) folders[name] = await folderFor(name, { URL: hub.url }, MORE[name]);
  const { bare, ...started } = folders;
  const times = Object.fromEntries(Object.keys(started).map((name) => [name, []]));
  // Alternating, so that other load on the machine affects all clients, and in all orders, because a large client
  // leaves cold caches.
  for (let round = 0; round < ROUNDS; round++)
    for (const name of shuffled(Object.keys(times))) times[name].push(await run(started[name]));
  const of = (name, what) => median(times[name].map((time) => time[what]));
  // Within a round the machine is in the same state.
  const added = (name) => median(times[name].map(({ ready }, round) => ready - times.empty[round].ready));
  const figures = {};
  for (const name in CLIENTS) {
    if (!/^orders\/\d+-A$/i.test(times[name][0].text))
      throw new Error(`${name}: ${times[name][0].text} is no id`);
    const plain = `${name}Plain`;
    figures[name] = {
      ready: added(name),
      id: of(name, "id"),
      bytes: await bytes(started[name]),
      plain: { ready: added(plain), bytes: await bytes(started[plain]) },
    };
  }
  console.log(JSON.stringify({ floor: of("empty", "ready"), ...figures, bare: await bytes(bare) }));
} finally {
  await hub.stop();
  await Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true })));
}
