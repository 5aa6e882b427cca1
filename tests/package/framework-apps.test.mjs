// With `--full`, the package from npm pack in apps of frameworks that are downloaded: the list of examples/issues in Vue and in Svelte, with the
// bindings of TanStack DB; the newest version of `@tanstack/db` that the package takes.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as chromium from "../support/browsers/chromium.mjs";
import { after } from "../support/cleanup.mjs";
import { copied, EXAMPLE, filled, served, user } from "../support/issues.mjs";
import { root } from "../support/root.mjs";
import { database, document, missing, ravendb } from "../support/server.mjs";

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
