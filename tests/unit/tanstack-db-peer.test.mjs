// `raven-edge/tanstack-db` without its optional peer, and with a version that lacks what it uses.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../support/root.mjs";

/** The entry in a folder without packages; `peer`: the text of the module `@tanstack/db`. */
async function entry(t, peer) {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-"));
  t.after(() => rm(folder, { recursive: true }));
  const other = join(folder, "other-version.mjs");
  if (peer) await writeFile(other, peer);
  const outfile = join(folder, "entry.mjs");
  await build({
    entryPoints: [join(root, "pkg/dist/tanstack-db/collection-options.js")],
    bundle: true,
    format: "esm",
    platform: "node",
    outfile,
    logLevel: "silent",
    ...(peer ? { alias: { "@tanstack/db": other } } : { external: ["@tanstack/db"] }),
  });
  return import(pathToFileURL(outfile).href);
}

test("without @tanstack/db the error names the package", async (t) => {
  await assert.rejects(entry(t), {
    code: "ERR_MODULE_NOT_FOUND",
    message: /^Cannot find package '@tanstack\/db'/,
  });
});

test("a version of @tanstack/db that lacks what is used is one sentence", async (t) => {
  const { ravenCollectionOptions } = await entry(t, "export const createCollection = () => {};");
  assert.throws(() => ravenCollectionOptions({ store: { database: "Shop" }, collection: "Orders" }), {
    code: "Unsupported",
    message:
      "raven-edge/tanstack-db needs @tanstack/db 0.15: the version that is installed lacks what it uses",
  });
});
