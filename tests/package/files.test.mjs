// Every file of the tarball serves an entry or a reader.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { test } from "node:test";
import { packed, root } from "../support/packed.mjs";

/** What npm, package managers, readers and `cargo xtask release` look for. */
const KNOWN = [
  "package.json",
  "README.md",
  "LICENSE",
  "docs/README.md",
  "dts/package.json",
  "gen/version.js",
];

/** Readers copy the whole folder. */
const STARTER = "templates/worker-react/";

const read = (file) => readFile(join(root, "pkg", file), "utf8");

/** The files that a file names: imports, modules of WebAssembly, declarations beside JavaScript, links of pages. */
function named(file, text) {
  const folder = posix.dirname(file);
  const near = (path) => posix.join(folder, path.split("#")[0]);
  if (file.endsWith(".md")) return [...text.matchAll(/\]\(([^):]+)\)/g)].map(([, path]) => near(path));
  const quoted = [...text.matchAll(/["'](\.[^"'\s]*\.(?:c?js|wasm))(?:\?module)?["']/g)].map(([, path]) =>
    near(path),
  );
  const maps = [...text.matchAll(/^\/\/# sourceMappingURL=(\S+)$/gm)].map(([, path]) => near(path));
  if (!/\.d\.c?ts$/.test(file)) return [...quoted, ...maps];
  return quoted.map((path) => path.replace(/\.(c?)js$/, ".d.$1ts"));
}

/** All texts in the exports of package.json. */
const pathsOf = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry).flatMap(pathsOf));

test("every file of the tarball serves an entry or a reader", async () => {
  const { exports } = JSON.parse(await read("package.json"));
  const served = new Set([...KNOWN, ...pathsOf(exports).map((path) => posix.normalize(path))]);
  for (const file of served) {
    if (/\.(c?js|ts|cts|md)$/.test(file)) {
      for (const next of named(file, await read(file))) if (packed.files.includes(next)) served.add(next);
    }
  }
  assert.deepEqual(
    packed.files.filter((file) => !served.has(file) && !file.startsWith(STARTER)),
    [],
    "no entry leads to these files",
  );
});
