// Writes pkg/dist: one JavaScript file for each source of pkg/src, types removed, nothing bundled. Takes about a second.
// usage: dist.mjs [--check | --types]
// --check: also checks the types (tsc -p pkg), which takes some seconds.
// --types: also checks the types and writes the declarations to pkg/dts.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pkg = join(root, "pkg");
const from = join(pkg, "src");
const to = join(pkg, "dist");
const types = join(pkg, "dts");

/** The files below a folder, as paths inside of it. */
const filesIn = (folder) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).filter((name) => /\.[jt]s$/.test(name)) : [];

const sources = filesIn(from).filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"));
const outputs = await transpiled();
removeAll(to, (name) => !outputs.has(name));
for (const [name, contents] of outputs) replace(join(to, name), contents);
if (process.argv.includes("--check"))
  check("--noEmit", "--incremental", "--tsBuildInfoFile", "target/pkg.tsbuildinfo");
if (process.argv.includes("--types")) declare();

async function transpiled() {
  const { outputFiles } = await build({
    entryPoints: sources.map((name) => join(from, name)),
    outbase: from,
    outdir: to,
    tsconfig: join(pkg, "tsconfig.json"),
    format: "esm",
    target: "es2022",
    charset: "utf8",
    // Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "error",
    write: false,
  });
  // A source of types alone has no output.
  const outputs = outputFiles.filter(({ contents }) => contents.length > 0);
  return new Map(outputs.map(({ path, contents }) => [relative(to, path), Buffer.from(contents)]));
}

/** Tests may be reading: they never find half of a file, and a file that is the same keeps its time. */
function replace(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
}

function removeAll(folder, unwanted) {
  for (const name of filesIn(folder)) if (unwanted(name)) rmSync(join(folder, name));
}

/** Runs tsc; ends this process if it finds an error. */
function check(...flags) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "--pretty", "false", "-p", "pkg", ...flags], {
      cwd: root,
      stdio: "inherit",
    });
  } catch {
    // tsc has printed the errors.
    process.exit(1);
  }
}

/**
 * Declarations of what apps can name. tsc writes those of all sources; those that no declaration of an entry leads to describe internals,
 * and are removed. They are declared as CommonJS: TypeScript lets modules of both kinds import that, so `import` and `require` share them.
 */
function declare() {
  removeAll(types, () => true);
  check();
  const isPublic = reachable();
  removeAll(types, (name) => !isPublic.has(name));
  writeFileSync(join(types, "package.json"), '{ "type": "commonjs" }\n');
}

/** The declarations in dts that those of the entries, pkg/*.d.ts, lead to. */
function reachable() {
  const found = new Set();
  const waiting = readdirSync(pkg)
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => join(pkg, name));
  for (const file of waiting) {
    for (const [, module] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g)) {
      const next = join(dirname(file), `${module}.d.ts`);
      if (!waiting.includes(next)) waiting.push(next);
    }
    if (file.startsWith(types)) found.add(relative(types, file));
  }
  return found;
}
