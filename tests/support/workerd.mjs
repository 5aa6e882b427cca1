// A Worker in real workerd: bundled like wrangler does, run by miniflare.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { after } from "./cleanup.mjs";

/**
 * The options that wrangler passes to esbuild: which export conditions count, and that .wasm files are separate
 * modules.
 */
const wasm = (found) => ({
  name: "wasm modules",
  setup({ onResolve }) {
    onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path);
      found.set(basename(file), file);
      return { path: `./${basename(file)}`, external: true };
    });
  },
});

/** Bundles a Worker's entry text into `folder`; its imports are resolved from `resolveDir`. */
export async function bundle({ text, resolveDir, folder, alias, external = [], minify = false }) {
  const found = new Map();
  await build({
    stdin: { contents: text, resolveDir, sourcefile: "worker.mjs" },
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    outfile: join(folder, "worker.mjs"),
    logLevel: "warning",
    alias,
    external: ["cloudflare:*", ...external],
    define: { "process.env.NODE_ENV": '"production"' },
    minify,
    plugins: [wasm(found)],
  });
  for (const [name, file] of found) await cp(file, join(folder, name));
  return join(folder, "worker.mjs");
}

/**
 * Starts a Worker from its entry text, which is ended after the test. Returns a function like `fetch`, with its
 * `url`. `d1`: names of empty databases; `more`: further options of miniflare.
 */
export async function workerd(
  t,
  { text, resolveDir, alias, compatibilityDate, bindings = {}, d1 = [], more },
) {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-worker-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  const script = await bundle({ text, resolveDir, folder, alias });
  const miniflare = new Miniflare({
    modules: true,
    modulesRules: [
      { type: "ESModule", include: ["**/*.mjs"] },
      { type: "CompiledWasm", include: ["**/*.wasm"] },
    ],
    modulesRoot: dirname(script),
    scriptPath: script,
    compatibilityDate,
    bindings,
    d1Databases: d1,
    cf: false,
    ...more,
  });
  after(t, () => miniflare.dispose());
  const { origin } = await miniflare.ready;
  return Object.assign((path, init) => miniflare.dispatchFetch(`http://worker${path}`, init), {
    url: origin,
  });
}
