// Index classes in a bundled app: unused ones are left out, used ones work minified.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../support/packed.mjs";
import { database, ravendb } from "../support/server.mjs";

/** Bundles and minifies an app as for a page. */
async function bundled(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    external: ["*.wasm", "*/gen/inline.js"],
    logLevel: "error",
  });
  return outputFiles[0].text;
}

test("an app without indexes contains none of their code", async () => {
  const store = await bundled('export { DocumentStore } from "./pkg/lib/entries/web.js";');
  // Texts of the operations, of every index class, and of those whose maps are functions.
  const texts = ["PutIndexesOperation needs", "addAssembly takes", "additional sources are functions"];
  assert.deepEqual(
    texts.filter((text) => store.includes(text)),
    [],
  );
  const index = await bundled('export { AbstractCsharpIndexCreationTask } from "./pkg/lib/entries/web.js";');
  assert.ok(index.includes("addAssembly takes"));
  assert.ok(!index.includes("additional sources are functions"), "no code of other kinds of indexes");
});

test("an index works in a minified app, and a minified name causes one warning", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-indexes-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const text = await bundled(`
    import { AbstractJavaScriptIndexCreationTask, DocumentStore, GetIndexNamesOperation } from "./pkg/lib/entries/node.js";
    class Orders_ByTotal extends AbstractJavaScriptIndexCreationTask {
      constructor() {
        super();
        this.map("Orders", (order) => ({ total: order.total }));
      }
    }
    class Orders_ByState extends Orders_ByTotal {
      getIndexName() {
        return "Orders/ByState";
      }
    }
    export { DocumentStore, GetIndexNamesOperation };
    export const minified = () => new Orders_ByTotal();
    export const named = () => new Orders_ByState();
  `);
  // The module lies where the package has it.
  const file = join(folder, "app.mjs");
  await writeFile(
    file,
    text.replaceAll(
      "import.meta.url",
      JSON.stringify(pathToFileURL(join(root, "pkg/lib/entries/node.js")).href),
    ),
  );
  const { DocumentStore, GetIndexNamesOperation, minified, named } = await import(pathToFileURL(file));
  const warn = t.mock.method(console, "warn", () => {});
  const name = await database(t, ravendb);
  const store = new DocumentStore(ravendb.url, name).initialize();
  t.after(() => store.dispose());
  await store.executeIndex(named());
  assert.equal(warn.mock.callCount(), 0, "an explicit name causes no warning");
  await store.executeIndexes([minified()]);
  minified().getIndexName();
  assert.equal(warn.mock.callCount(), 1);
  assert.match(warn.mock.calls[0].arguments[0], /getIndexName\(\)/);
  const names = await store.maintenance.send(new GetIndexNamesOperation());
  assert.ok(names.includes("Orders/ByState"), names.join());
  assert.equal(names.length, 2);
  const session = store.openSession();
  await session.store({ total: 7, "@metadata": { "@collection": "Orders" } }, "orders/1");
  await session.saveChanges();
  const query = session.query({ indexName: "Orders/ByState" }).waitForNonStaleResults();
  assert.deepEqual(
    (await query.whereEquals("total", 7).all()).map(({ id }) => id),
    ["orders/1"],
  );
});
