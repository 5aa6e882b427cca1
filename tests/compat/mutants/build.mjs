// The package with all mutants in it, and the cases that may notice them.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { filesIn } from "../../../xtask/js/outputs.mjs";
import { AREAS, bundle, TOPICS } from "../build.mjs";
import { instrument } from "./sites.mjs";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));
const UNIT = fileURLToPath(new URL("../../unit/rql.test.mjs", import.meta.url));

/** The tests of `unit/rql`, as a part beside areas and topics. */
export const UNIT_PART = "unit-rql";
export const PARTS = [...AREAS, ...TOPICS, UNIT_PART];

/** All mutants of the sources, in the order of their numbers, and the sources with them. */
export function mutated() {
  const mutants = [];
  const codes = new Map();
  for (const file of filesIn(join(pkg, "src")).sort()) {
    if (!file.endsWith(".ts") || file.endsWith(".d.ts")) continue;
    const { code, sites } = instrument(readFileSync(join(pkg, "src", file), "utf8"), mutants.length);
    codes.set(file, code);
    for (const site of sites) mutants.push({ file, module: file.split("/")[0], ...site });
  }
  return { mutants, codes };
}

/** Writes both into a folder; `codes`: those of `mutated`. */
export async function buildInto(folder, codes) {
  const edge = join(folder, "edge");
  const gen = pathToFileURL(join(pkg, "gen")).href;
  await build({
    entryPoints: ["entries/node.ts", "rql/render.ts", "rql/quoted-names.ts"].map((file) =>
      join(pkg, "src", file),
    ),
    outbase: join(pkg, "src"),
    outdir: edge,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    tsconfig: join(pkg, "tsconfig.json"),
    platform: "node",
    logLevel: "error",
    plugins: [
      {
        name: "mutants",
        setup(plugin) {
          plugin.onResolve({ filter: /\/gen\/[^/]+$/ }, ({ path }) => ({
            path: `${gen}/${path.split("/").at(-1)}`,
            external: true,
          }));
          plugin.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
            contents: codes.get(relative(join(pkg, "src"), path)),
            loader: "ts",
            resolveDir: dirname(path),
          }));
        },
      },
    ],
  });
  for (const file of filesIn(edge)) {
    const path = join(edge, file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll(/"(?:\.\.\/)+gen\//g, `"${gen}/`));
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  process.env.RAVEN_EDGE_PACKAGE = join(edge, "entries/node.js");
  await bundle("edge", join(folder, "parts"), [...AREAS, ...TOPICS]);
  const unit = readFileSync(UNIT, "utf8")
    .replace(
      'import { test } from "node:test";',
      "const tests = {}; const test = (name, run) => { tests[name] = run; };",
    )
    .replaceAll("../../pkg/dist/", pathToFileURL(`${edge}/`).href)
    .replace("../support/", new URL("../../support/", import.meta.url).href);
  const part = `
const unit = async (_, report, __, without) => {
  for (const [section, run] of Object.entries(tests)) {
    if (without.includes(section)) continue;
    let value = "passed";
    try { await run(); } catch (error) { value = String(error?.name); }
    report({ section, name: "outcome", value });
  }
};
export default Object.assign(unit, { sections: Object.keys(tests) });`;
  writeFileSync(join(folder, "parts", `${UNIT_PART}.mjs`), unit + part);
}
