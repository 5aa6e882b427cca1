// What the bundlers of apps make of the package: the scripts that a page loads at once, without the module of WebAssembly.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";

const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));

const BUNDLERS = {
  async vite(folder) {
    const config = { configFile: false, logLevel: "error", root: folder };
    const { output } = await vite({ ...config, build: { rollupOptions: { input: "app.js" }, write: false } });
    const chunks = new Map(output.filter(({ type }) => type === "chunk").map((one) => [one.fileName, one]));
    const entry = output.find(({ isEntry }) => isEntry).fileName;
    return atOnce(entry, (name) => chunks.get(name).imports).map((name) => chunks.get(name).code);
  },
  async webpack(folder) {
    const output = { path: join(folder, "packed") };
    const compiler = webpack({ context: folder, entry: "./app.js", mode: "production", output });
    const texts = new Map();
    compiler.outputFileSystem = {
      mkdir: (_path, ...given) => given.at(-1)(null),
      stat: (_path, done) => done(new Error("absent")),
      writeFile: (path, text, done) => done(null, texts.set(path.slice(output.path.length + 1), text)),
    };
    const stats = await promisify(compiler.run.bind(compiler))();
    assert.ok(!stats.hasErrors(), stats.toString());
    return stats.toJson().entrypoints.main.assets.map(({ name }) => texts.get(name));
  },
  async esbuild(folder) {
    const entryPoints = [join(folder, "app.js")];
    const { metafile, outputFiles } = await esbuild({
      absWorkingDir: folder,
      bundle: true,
      entryPoints,
      format: "esm",
      loader: { ".wasm": "file" },
      metafile: true,
      minify: true,
      outdir: "split",
      splitting: true,
      write: false,
    });
    const imports = (name) =>
      metafile.outputs[name].imports
        .filter(({ kind }) => kind === "import-statement")
        .map(({ path }) => path);
    return atOnce("split/app.js", imports).map(
      (name) => outputFiles.find(({ path }) => path.endsWith(name)).contents,
    );
  },
};

/** The files that this one needs before it runs, itself included. */
function atOnce(file, importsOf) {
  const found = new Set([file]);
  for (const name of found) for (const next of importsOf(name)) found.add(next);
  return [...found];
}

// The most files and bytes (gzip -9, each file for itself). esbuild loads what an entry exports and a part uses, although the app
// imports neither: it asks which entries lead to a file, not which of its exports they use.
const LIMITS = [
  ["raven-edge", "DocumentStore", { vite: [4, 57_200], webpack: [1, 55_300], esbuild: [8, 69_000] }],
  ["raven-edge/session", "DocumentStore", { vite: [4, 49_100], webpack: [1, 49_300], esbuild: [8, 58_200] }],
  ["raven-edge/hilo", "HiLoStore", { vite: [2, 21_500], webpack: [1, 22_400], esbuild: [2, 21_600] }],
];

for (const [entry, name, limits] of LIMITS)
  for (const [bundler, [most, bytes]] of Object.entries(limits))
    test(`${bundler}: a page with ${entry} loads few scripts at once`, { timeout: 90_000 }, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), "raven-edge-bundles-"));
      t.after(() => rm(folder, { recursive: true }));
      await mkdir(join(folder, "node_modules"));
      await symlink(pkg, join(folder, "node_modules/raven-edge"));
      await writeFile(
        join(folder, "app.js"),
        `import { ${name} } from "${entry}";\nglobalThis.store = new ${name}("/raven", "Shop").initialize();\n`,
      );
      const texts = await BUNDLERS[bundler](folder);
      const size = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
      t.diagnostic(`${texts.length} of ${most} files, ${size} of ${bytes} bytes`);
      assert.ok(texts.length <= most, `${texts.length} files`);
      assert.ok(size <= bytes, `${size} bytes`);
    });
