// The program, bundled once per client: only what the module name "client" stands for differs.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const PROGRAM = fileURLToPath(new URL("./program/", import.meta.url));

/** What "client" stands for. `RAVEN_EDGE_PACKAGE` names another build of the package. */
export const CLIENTS = {
  ravendb: () => {
    const root = dirname(createRequire(import.meta.url).resolve("ravendb/package.json"));
    return join(root, JSON.parse(readFileSync(join(root, "package.json"))).module);
  },
  edge: () => process.env.RAVEN_EDGE_PACKAGE ?? fileURLToPath(new URL("../../pkg/node.js", import.meta.url)),
};

// What areas share.
const SHARED = ["harness.ts", "indexed.ts", "recorder.ts", "words.ts"];

export const AREAS = readdirSync(PROGRAM)
  .filter((file) => file.endsWith(".ts") && !SHARED.includes(file))
  .map((file) => file.slice(0, -3))
  .sort();

/** Bundles every area for a client into a folder. */
export async function bundle(client, folder) {
  const address = pathToFileURL(CLIENTS[client]()).href;
  const names = new Set();
  for (const file of [...AREAS, "harness", "indexed"]) {
    const source = readFileSync(join(PROGRAM, `${file}.ts`), "utf8");
    for (const [, list] of source.matchAll(/import \{([^}]*)\} from "client"/g)) {
      for (const name of list.split(",").map((part) => part.trim())) {
        if (name && !name.startsWith("type ")) names.add(name);
      }
    }
  }
  // What a client lacks is undefined where it is used, and not a program that does not link.
  const contents = `import * as real from ${JSON.stringify(address)};
${[...names].map((name) => `export const ${name} = real[${JSON.stringify(name)}];`).join("\n")}`;
  await build({
    entryPoints: AREAS.map((area) => join(PROGRAM, `${area}.ts`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    keepNames: true,
    sourcemap: "inline",
    logLevel: "error",
    plugins: [
      {
        name: "client",
        setup(plugin) {
          plugin.onResolve({ filter: /^client$/ }, () => ({ path: "client", namespace: "client" }));
          plugin.onResolve({ filter: /^file:/ }, ({ path }) => ({ path, external: true }));
          plugin.onLoad({ filter: /.*/, namespace: "client" }, () => ({ contents, loader: "js" }));
        },
      },
    ],
  });
}
