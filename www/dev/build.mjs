// Bundles the page and the Worker into a folder of this process's own: two running demos must not share one.

import { copyFile, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const PACKAGE = path("../../pkg");

const common = { bundle: true, format: "esm", target: "es2022", logLevel: "error" };

/** Copies the package to where an installed one would be, so that its `exports` decide which files the page gets. */
export async function install(modules) {
  await mkdir(modules);
  await symlink(PACKAGE, join(modules, "raven-edge"), "junction");
}

export async function page(outdir, modules) {
  await bundle({
    ...common,
    entryPoints: ["app.js", "mine.js", "outbox.js", "style.css"].map((name) => path(`../page/${name}`)),
    outdir,
    splitting: true,
    conditions: ["browser"],
    nodePaths: [modules],
    sourcemap: true,
  });
  for (const name of ["index.html", "mine.html", "outbox.html", "icon.svg"]) {
    await copyFile(path(`../page/${name}`), join(outdir, name));
  }
  // The package locates its module by `new URL("./gen/…", import.meta.url)`; esbuild does not copy that file.
  await mkdir(join(outdir, "gen"));
  await copyFile(join(PACKAGE, "gen/raven_edge_bg.wasm"), join(outdir, "gen/raven_edge_bg.wasm"));
}

/** Bundles the page into a folder, which is made anew. */
export async function pageAlone(outdir) {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-page-"));
  try {
    await install(join(folder, "node_modules"));
    await rm(outdir, { recursive: true, force: true });
    await page(outdir, join(folder, "node_modules"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function worker(outdir, modules, entry = path("../worker.js")) {
  await bundle({
    ...common,
    entryPoints: [entry],
    outdir,
    conditions: ["workerd"],
    nodePaths: [modules],
    loader: { ".wasm": "copy" },
  });
}

/** Bundles both; returns their locations and a function that removes them. */
export async function build() {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-demo-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const [root, assets, modules] = ["worker", "assets", "node_modules"].map((name) => join(folder, name));
  try {
    await install(modules);
    await Promise.all([page(assets, modules), worker(root, modules)]);
  } catch (error) {
    await remove();
    throw error;
  }
  return { root, script: join(root, "worker.js"), assets, remove };
}
