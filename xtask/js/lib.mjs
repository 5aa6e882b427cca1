// Writes pkg/lib, which is what the package exports, from pkg/src. What pages need at once is in three files, of which each imports the ones
// before it: `ids` (numbers), `session` and `queries`. Everything that is loaded on demand imports from these and from few others, so bundlers
// have little to split, and a page without a bundler has few files to ask for. Node gets one file for each entry and kind of module.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { filesIn, writeFolder } from "./outputs.mjs";
import { PRECACHE, precacheLists } from "./precache.mjs";

const pkg = fileURLToPath(new URL("../../pkg/", import.meta.url));
const src = join(pkg, "src");
const lib = join(pkg, "lib");

/**
 * What stays a file of its own: modules of the platform and of WebAssembly, and of pkg/gen copies of modules that few pages need and rules
 * that many apps do not need.
 */
const APART =
  /\.wasm(\?module)?$|^node:|^cloudflare:|^react$|^@tanstack\/db$|gen\/(inline|inline_queue|plural)\.js$/;

/**
 * What apps need at once, for pages and for Workers: the file, the entry, and what an app imports from it. Each file has what the ones before
 * it lack.
 */
const AT_ONCE = {
  pages: [
    ["ids", "entries/hilo/web", "*"],
    ["session", "entries/session/web", "{ DocumentStore }"],
    ["queries", "entries/web", "{ DocumentStore }"],
  ],
  workers: [
    ["ids", "entries/hilo/workerd", "*"],
    ["session", "entries/session/workerd", "{ DocumentStore }"],
    ["session", "session/rarely-used", "*"],
    ["queries", "entries/workerd", "{ DocumentStore }"],
  ],
};

/** The entries for Workers and the edge, and those for Node. Pages have the others. */
const EDGE = ["gateway", "gateway-live", "hub", "changes-hub", "authority"];
const WORKERS = ["workerd", "edge-light", ...EDGE];
const NODE = ["node"];

/** The entries of pkg/lib that exports of the package name, without their endings. */
function exported() {
  const { exports } = JSON.parse(readFileSync(join(pkg, "package.json"), "utf8"));
  const { [PRECACHE]: _, ...bundled } = exports;
  return [
    ...new Set([...JSON.stringify(bundled).matchAll(/"\.\/lib\/([^"]+)\.c?js"/g)].map(([, name]) => name)),
  ];
}

/** The sources that are loaded on demand, without their endings. */
function loadedOnDemand() {
  const imports = filesIn(src).flatMap((file) =>
    [...readFileSync(join(src, file), "utf8").matchAll(/\bimport\("(\.[^"]+)\.js"\)/g)].map(([, module]) =>
      join(dirname(file), module),
    ),
  );
  return [...new Set(imports)].filter((path) => existsSync(join(src, `${path}.ts`)));
}

/** Leaves out what is loaded on demand, and what stays apart. */
const AT_ONCE_ONLY = {
  name: "at once only",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === "dynamic-import" || APART.test(path) ? { external: true } : undefined,
    ),
};

const found = new Map();

/** The sources that these lines need at once, as a bundler finds them that drops what is not used. */
function needed(lines) {
  if (!found.has(lines)) found.set(lines, find(lines));
  return found.get(lines);
}

async function find(lines) {
  const { metafile } = await build({
    stdin: { contents: lines, resolveDir: src },
    bundle: true,
    format: "esm",
    plugins: [AT_ONCE_ONLY],
    logLevel: "error",
    metafile: true,
    write: false,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return used.map(([name]) => join(process.cwd(), name));
}

/** Without entries: what one does when it is imported concerns no other, and the bundler shares that. */
const sharable = (sources) => sources.filter((source) => !source.startsWith(join(src, "entries/")));

/** The sources that a module needs at once with all that it exports. */
const neededBy = (module) =>
  needed(`export * from "./${module}.ts"; import * as all from "./${module}.ts"; export { all };`);

/** The sources that these modules need at once, each with the modules that need it. */
async function users(modules) {
  const found = new Map();
  for (const module of modules)
    for (const source of sharable(await neededBy(module)))
      found.set(source, [...(found.get(source) ?? []), module]);
  return found;
}

/**
 * The file of pkg/lib for each source that more than one entry or part needs. What one part and entries need is the part's; what has no place
 * here is in the file of the entry or part that needs it.
 */
async function sharedFiles(entries, parts, atOnce) {
  const files = new Map();
  const put = (source, file) => files.has(source) || files.set(source, file);
  const ofAll = await users(entries);
  // A part is a file of its own. What is imported comes before what imports it.
  const sizes = new Map();
  for (const part of parts) sizes.set(part, (await neededBy(part)).length);
  for (const part of parts.toSorted((one, other) => sizes.get(one) - sizes.get(other)))
    put(join(src, `${part}.ts`), `parts/${basename(part)}`);
  // An app may have only an entry of the edge.
  for (const [source, names] of ofAll)
    if (names.length > 1 && names.some((name) => EDGE.includes(basename(name)))) put(source, "edge");
  for (const [file, entry, name] of atOnce)
    for (const source of sharable(await needed(`export ${name} from "./${entry}.ts";`))) put(source, file);
  // esbuild loads at once what an entry exports and a part uses, whether the app imports it or not: in few files.
  for (const [file, entry, name] of atOnce)
    if (name !== "*") for (const source of sharable(await neededBy(entry))) put(source, `${file}-exports`);
  // Else the part that it loads later would have what both need.
  for (const entry of entries.filter((name) => name.endsWith("/offline")))
    for (const source of sharable(await neededBy(entry))) put(source, "offline");
  for (const [source, [part, another]] of await users(parts))
    put(source, another === undefined ? `parts/${basename(part)}` : "parts");
  for (const [source, names] of ofAll) if (names.length > 1) put(source, "more");
  return files;
}

/** Texts name files of pkg/gen relative to their source. */
const relocated = (text, folder) =>
  text.replaceAll(/(["'`])(?:\.\.\/)+gen\//g, (_, quote) => `${quote}${relative(folder, join(pkg, "gen"))}/`);

const INPUT = {
  external: (id) => APART.test(id),
  logLevel: "warn",
  preserveEntrySignatures: "strict",
  resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
  transform: { target: "es2022" },
  treeshake: { moduleSideEffects: false },
};

/** Texts as in the sources, without comments. */
const OUTPUT = {
  comments: false,
  minify: false,
  minifyInternalExports: false,
  sourcemap: true,
  // With the sources the package would have more than 2 MB.
  sourcemapExcludeSources: true,
};

/** A file for each entry, and few that they share, in `folder`. */
async function split(entries, parts, atOnce, folder) {
  const files = await sharedFiles(entries, parts, atOnce);
  // A group takes what its sources import, unless one of higher priority has it.
  const groups = [
    ...new Set([
      "edge",
      ...atOnce.map(([file]) => file),
      "session-exports",
      "queries-exports",
      "offline",
      "parts",
      ...files.values(),
    ]),
  ];
  const bundle = await rolldown({
    ...INPUT,
    input: Object.fromEntries(entries.map((name) => [name, join(src, `${name}.ts`)])),
  });
  const { output } = await bundle.generate({
    ...OUTPUT,
    chunkFileNames: `${folder}[name].js`,
    dir: lib,
    entryFileNames: "[name].js",
    format: "esm",
    codeSplitting: {
      groups: groups.map((name, at) => ({
        name,
        priority: groups.length - at,
        test: (id) => files.get(id) === name,
      })),
    },
  });
  await bundle.close();
  return output;
}

/**
 * One file for each entry of Node and kind of module: reading a file costs Node more than what is in it. What a CommonJS module imports later
 * it cannot have in Jest, so the plural rules are in the file, too.
 */
async function forNode(entries, format) {
  const files = [];
  for (const name of entries) {
    const bundle = await rolldown({
      ...INPUT,
      input: join(src, `${name}.ts`),
      external: (id) => APART.test(id) && !(format === "cjs" && id.endsWith("gen/plural.js")),
      platform: "node",
    });
    const file = `${name}${format === "cjs" ? ".cjs" : ".js"}`;
    const { output } = await bundle.generate({
      ...OUTPUT,
      codeSplitting: false,
      exports: "named",
      file: join(lib, file),
      format,
      sourcemap: false,
    });
    await bundle.close();
    files.push({ ...output[0], fileName: file });
  }
  return files;
}

/** Does nothing before the first build, when pkg/gen is empty. */
export async function bundleEntries() {
  if (!existsSync(join(pkg, "gen/version.js"))) return;
  const entries = exported();
  const parts = loadedOnDemand();
  const of = (kinds) => entries.filter((name) => kinds.includes(basename(name)));
  const pages = entries.filter((name) => ![...WORKERS, ...NODE].includes(basename(name)));
  const output = [
    ...(await split(pages, parts, AT_ONCE.pages, "")),
    ...(await split(of(WORKERS), parts, AT_ONCE.workers, "workers/")),
    ...(await forNode(of(NODE), "esm")),
    ...(await forNode(of(NODE), "cjs")),
  ];
  const files = output.map(({ fileName, code, source }) => [
    fileName,
    Buffer.from(relocated(code ?? source, dirname(join(lib, fileName)))),
  ]);
  const texts = new Map(files);
  writeFolder(lib, texts.set("precache.js", precacheLists(pkg, texts)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleEntries();
