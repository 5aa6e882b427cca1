// Bundles the program and the programs, once per client: only the module "client" differs.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const PROGRAM = fileURLToPath(new URL("./program/", import.meta.url));
export const PROGRAMS = fileURLToPath(new URL("./programs/", import.meta.url));

/** What "client" stands for. `RAVEN_EDGE_PACKAGE` selects another build of the package. */
export const CLIENTS = {
  ravendb: () => {
    const root = dirname(createRequire(import.meta.url).resolve("ravendb/package.json"));
    return join(root, JSON.parse(readFileSync(join(root, "package.json"))).module);
  },
  edge: () =>
    process.env.RAVEN_EDGE_PACKAGE ??
    fileURLToPath(new URL("../../pkg/lib/entries/node.js", import.meta.url)),
};

/** Of the bundles of this client, raven-edge is a module apart: the platform has the entry. */
const ELSEWHERE = "elsewhere";
const SHIMS = fileURLToPath(new URL("./web-shims.mjs", import.meta.url));
const WEB = {
  platform: "neutral",
  target: "es2022",
  external: ["raven-edge"],
  alias: { "node:http": SHIMS, "node:stream": SHIMS },
  inject: [SHIMS],
};

// Modules that areas share.
const SHARED = [
  "attachment-helpers.ts",
  "class-names.ts",
  "harness.ts",
  "index-classes.ts",
  "query-text.ts",
  "recorder.ts",
];

export const AREAS = readdirSync(PROGRAM)
  .filter((file) => file.endsWith(".ts") && !SHARED.includes(file))
  .map((file) => file.slice(0, -3))
  .sort();

/** Files with programs, such as `sessions/loading`. */
export const TOPICS = readdirSync(PROGRAMS, { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.includes("/") && file.endsWith(".ts"))
  .map((file) => file.slice(0, -3))
  .sort();

const sourceOf = (name) => join(name.includes("/") ? PROGRAMS : PROGRAM, `${name}.ts`);

/** Bundles areas and topics for a client into a folder. */
export async function bundle(client, folder, parts) {
  const address = client === ELSEWHERE ? "raven-edge" : pathToFileURL(CLIENTS[client]()).href;
  const names = new Set();
  for (const part of [...parts, "harness", "index-classes"]) {
    const source = readFileSync(sourceOf(part), "utf8");
    for (const [, list] of source.matchAll(/import (?:\w+, )?\{([^}]*)\} from "client"/g)) {
      for (const name of list.split(",").map((part) => part.trim())) {
        if (name && !name.startsWith("type ")) names.add(name);
      }
    }
  }
  // A name that a client lacks is undefined where it is used; the program still links.
  const contents = `import * as real from ${JSON.stringify(address)};
export default real.default;
${[...names].map((name) => `export const ${name} = real[${JSON.stringify(name)}];`).join("\n")}`;
  await build({
    entryPoints: parts.map((part) => ({ in: `part:${part}`, out: part })),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    keepNames: true,
    sourcemap: "inline",
    logLevel: "error",
    ...(client === ELSEWHERE && WEB),
    plugins: [
      {
        name: "client",
        setup(plugin) {
          plugin.onResolve({ filter: /^client$/ }, () => ({ path: "client", namespace: "client" }));
          plugin.onResolve({ filter: /^file:/ }, ({ path }) => ({ path, external: true }));
          plugin.onLoad({ filter: /.*/, namespace: "client" }, () => ({ contents, loader: "js" }));
        },
      },
      {
        name: "parts",
        setup(plugin) {
          plugin.onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice(5), namespace: "part" }));
          plugin.onLoad({ filter: /.*/, namespace: "part" }, ({ path }) => ({
            contents: path.includes("/")
              ? `import * as programs from "./${path}.ts"; import { topic } from "./run.ts"; export default topic("${path.split("/")[0]}", programs);`
              : `export { default } from "./${path}.ts";`,
            resolveDir: path.includes("/") ? PROGRAMS : PROGRAM,
            loader: "js",
          }));
        },
      },
    ],
  });
}
