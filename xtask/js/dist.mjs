// Writes pkg/dist: one JavaScript file for each source of pkg/src, types removed, nothing bundled; and pkg/lib (lib.mjs). Takes some
// seconds.
// usage: dist.mjs [--check | --types]
// --check: also checks the types (tsc -p pkg), which takes some seconds.
// --types: also checks the types and writes the declarations to pkg/dts.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleEntries } from "./lib.mjs";
import { filesIn, removeFiles, writeFolder } from "./outputs.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pkg = join(root, "pkg");
const from = join(pkg, "src");
const to = join(pkg, "dist");
const types = join(pkg, "dts");
/** The entries that Node's conditions in pkg/package.json name. */
const REQUIRABLE = ["index.d.ts", "session.d.ts", "hilo.d.ts"];

const sources = filesIn(from).filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"));
writeFolder(to, await transpiled());
await bundleEntries();
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
  removeFiles(types, () => true);
  check();
  const isPublic = reachable();
  removeFiles(types, (name) => !isPublic.has(name));
  writeFileSync(join(types, "package.json"), '{ "type": "commonjs" }\n');
  for (const name of REQUIRABLE) declareRequired(name);
}

/** Copies the declarations of an entry for `require`: TypeScript tells the kind of a module by its folder. */
function declareRequired(name) {
  const text = readFileSync(join(pkg, name), "utf8").replaceAll('"./dts/', '"../');
  mkdirSync(join(types, "require"), { recursive: true });
  writeFileSync(join(types, "require", name), text);
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
