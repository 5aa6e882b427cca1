// Writes pkg/lib, which is what the package exports: the files of pkg/dist that apps import and those that are loaded on demand, each with
// the files that it alone uses. What several of them use is in files of its own, so the package has all code once, for every platform.
// Reading some hundred files one after the other would take most of a start in Node, and of a page without a bundler.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { filesIn, writeFolder } from "./outputs.mjs";

const pkg = fileURLToPath(new URL("../../pkg/", import.meta.url));
const dist = join(pkg, "dist");
const lib = join(pkg, "lib");

/** Files of pkg/gen that stay apart: copies of modules that few pages need, and rules that many apps do not need. */
const APART = ["inline", "inline_queue", "plural"];

/** The files of pkg/lib that exports of the package name. */
function exported() {
  const { exports } = JSON.parse(readFileSync(join(pkg, "package.json"), "utf8"));
  return [...JSON.stringify(exports).matchAll(/"\.\/lib\/([^"]+)"/g)].map(([, name]) => name);
}

/** The files of pkg/dist that are loaded on demand. */
function loadedOnDemand() {
  const imports = filesIn(dist).flatMap((file) =>
    [...readFileSync(join(dist, file), "utf8").matchAll(/import\("(\.[^"]+)"\)/g)].map(([, module]) =>
      join(dirname(file), module),
    ),
  );
  return imports.filter((path) => !path.startsWith(".."));
}

/** Texts name files of pkg/gen relative to the file of pkg/dist that they come from. */
function relocated(text, folder) {
  return text.replaceAll(/"(?:\.\.\/)+gen\//g, `"${relative(folder, join(pkg, "gen"))}/`);
}

/** An import of another file of pkg/lib. */
const IMPORT = /\bimport\{[^}]*\}from"(\.[^"]+)";/g;

/**
 * Puts first what leads to most files. Bundlers write files in the order of their imports: what belongs together is side by side then, and
 * compresses better. No file needs another order ("sideEffects": false).
 */
function ordered(texts) {
  const imported = (path) =>
    [...(texts.get(path) ?? "").matchAll(IMPORT)].map(([, module]) => join(dirname(path), module));
  const reach = (path, found = new Set()) => {
    for (const next of imported(path)) if (!found.has(next)) reach(next, found.add(next));
    return found;
  };
  const weights = new Map([...texts.keys()].map((path) => [path, reach(path).size]));
  // Names of files are hashes: an order by them would change the size of entries with every change of a file.
  const length = (path) => texts.get(path)?.length ?? 0;
  const sorted = (path, text) => {
    const imports = [...text.matchAll(IMPORT)].map(([whole, module]) => [whole, join(dirname(path), module)]);
    imports.sort(
      ([, one], [, other]) =>
        weights.get(other) - weights.get(one) || length(one) - length(other) || (one < other ? -1 : 1),
    );
    return imports.map(([whole]) => whole).join("") + text.replaceAll(IMPORT, "");
  };
  return new Map([...texts].map(([path, text]) => [path, sorted(path, text)]));
}

/** Does nothing before the first build, when pkg/gen is empty. */
export async function bundleEntries() {
  if (!existsSync(join(pkg, "gen/version.js"))) return;
  const named = exported();
  const [required, imported] = [".cjs", ".js"].map((kind) => named.filter((name) => name.endsWith(kind)));
  const names = new Set([...imported, ...loadedOnDemand()]);
  const { outputFiles } = await build({
    entryPoints: [...names].map((name) => join(dist, name)),
    outbase: dist,
    outdir: lib,
    chunkNames: "shared/[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    external: [
      ...["*.wasm", "*.wasm?module", "node:*", "cloudflare:*", "react"],
      ...APART.map((name) => `*/gen/${name}.js`),
    ],
    // Names stay, for stack traces. Short lines, because Node prints the line of an uncaught exception.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 300,
    logLevel: "error",
    write: false,
  });
  // A limit of lines splits texts, but tools look for the names of files.
  const whole = (text) => text.replaceAll("\\\n", "");
  // esbuild keeps the order in which files run. No file needs it ("sideEffects": false), and it would load more of them.
  const used = (text) => text.replaceAll(/\bimport"\.[^"]+";/g, "");
  const texts = ordered(new Map(outputFiles.map(({ path, text }) => [path, used(whole(text))])));
  const modules = [...texts].map(([path, text]) => [relative(lib, path), relocated(text, dirname(path))]);
  // Node can require modules. TypeScript and other tools expect a file of this kind where a program requires the package.
  const forRequire = required.map((name) => [
    name,
    `const entry = require("./${basename(name, ".cjs")}.js");
exports.default = entry.default;
Object.assign(exports, entry);
`,
  ]);
  writeFolder(lib, new Map([...modules, ...forRequire].map(([name, text]) => [name, Buffer.from(text)])));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleEntries();
