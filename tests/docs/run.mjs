// Runs blocks with a real RavenDB: in Node, in workerd, in Chromium.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after as afterAll, before } from "node:test";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { profile } from "../support/chromium.mjs";
import { root } from "../support/root.mjs";
import { serve } from "../support/serve.mjs";
import { database, ravendb as server } from "../support/server.mjs";
import { DocumentStore } from "../support/store.mjs";
import { workerd } from "../support/workerd.mjs";

/** A folder in which the package is installed. */
export const place = {};
before(async () => {
  place.folder = await mkdtemp(join(tmpdir(), "raven-edge-docs-"));
  await mkdir(join(place.folder, "node_modules"));
  await symlink(join(root, "pkg"), join(place.folder, "node_modules/raven-edge"));
});
afterAll(() => rm(place.folder, { recursive: true, force: true }));

/** The output that a block promises in comments. */
const promised = (code) =>
  [...code.matchAll(/^\s*console\.log.*?\/\/ (.*)$/gm)].map(([, line]) => line.trim());

/** A block as a whole program: unchanged, or inside its surroundings. */
export function programOf({ name, language, options, code }) {
  if (!options.with) return code;
  const files = [`${options.with}.${language}`, `${options.with}.ts`].map(
    (file) => new URL(`with/${file}`, import.meta.url),
  );
  const file = files.find((file) => existsSync(file));
  assert.ok(file, `${name}: there is no with/${options.with}`);
  const parts = readFileSync(file, "utf8").split(/^ *\/\/ the block$/m);
  assert.equal(parts.length, 2, `${file.pathname} says \`// the block\` once`);
  return parts.join(code);
}

const local = (text, url, name) =>
  text
    .replaceAll("https://ravendb.example", url)
    .replaceAll('"/raven"', JSON.stringify(url))
    .replaceAll('"Shop"', JSON.stringify(name));

export async function inNode(t, block) {
  const name = await database(t, server);
  const { code } = await transform(programOf(block), { loader: "ts", target: "es2022" });
  const file = join(place.folder, `${randomUUID()}.mjs`);
  await writeFile(file, local(code, server.url, name));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { timeout: 30_000 });
  assert.equal(stderr, "");
  assert.deepEqual(stdout.split("\n").slice(0, -1), promised(block.code));
}

export async function inWorkerd(t, block) {
  const name = await database(t, server);
  const objects = { HUB: "LeaseHub", AUTHORITY: "AuthorityObject" };
  const bound = Object.entries(objects).filter(([, className]) =>
    new RegExp(`export .*\\b${className}\\b`).test(block.code),
  );
  const durableObjects = Object.fromEntries(
    bound.map(([binding, className]) => [binding, { className, useSQLite: true }]),
  );
  const worker = await workerd(t, {
    text: local(block.code, server.url, name),
    resolveDir: place.folder,
    compatibilityDate: "2026-04-01",
    bindings: { RAVENDB_URL: server.url },
    more: {
      durableObjects,
      serviceBindings: {
        RAVEN: async (request) => fetch(request.url.replace("https://ravendb", server.url), request),
      },
    },
  });
  if (block.options.worker === "leases") {
    const store = new DocumentStore(String(worker.url).replace(/\/$/, ""), name);
    store.conventions.disableTopologyUpdates = true;
    assert.match(await store.initialize().hilo("orders").next(), /^orders\/1(-A)?$/);
    await store.dispose();
    return;
  }
  const answer = await worker("/", {
    method: "POST",
    body: '{"total":5}',
    headers: { "content-type": "application/json" },
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.deepEqual(await answer.json(), { id: "orders/1-A" });
}

const PAGE = (code) => `<!doctype html><meta charset="utf-8"><title></title>
<script type="importmap">{ "imports": { "raven-edge": "/node_modules/raven-edge/dist/entries/web.js", "raven-edge/offline": "/node_modules/raven-edge/dist/entries/offline.js", "raven-edge/": "/node_modules/raven-edge/" } }</script>
<script type="module">
${code}
</script>`;

export async function inChromium(t, block) {
  const name = await database(t, server);
  const text = block.language === "html" ? block.code : PAGE(programOf(block));
  const page = text.replaceAll('"Shop"', JSON.stringify(name));
  assert.ok(page.includes("</script>"), "a page with a script");
  // A module reports its end, after everything that it awaits.
  const reporting = page.replace(/<\/script>(?![\s\S]*<\/script>)/, "\nglobalThis.done = true;\n</script>");
  const pages = { "/": reporting };
  const site = await serve(t, { folder: place.folder, pages, raven: server.url, sockets: true });
  const { context, problems } = await profile(t);
  const tab = await context.newPage();
  const printed = [];
  tab.on("console", (message) => message.type() === "log" && printed.push(message.text()));
  await tab.goto(site.url);
  await tab.waitForFunction(() => globalThis.done);
  assert.deepEqual(problems, []);
  assert.deepEqual(printed, promised(block.code));
}
