// `RAVENDB_URL=… node tests/compat/run.mjs [--only area[,area]] [--ravendb-only | --edge-only] [--values] [--types]`:
// runs the compatibility program with both clients; prints a table, and every difference with both values. Names with
// a slash are files of programs (`--only queries/raw`, or a whole folder: `--only queries/`).
// --ravendb-only   only npm `ravendb`, compared with the expectations
// --edge-only      prints only the differences of raven-edge, without a table
// --values         prints every observation with its value
// --types          runs `tsc --noEmit` with both typings instead
import { parseArgs } from "node:util";
import { NOT_YET, UNTYPED } from "./areas.mjs";
import { AREAS, TOPICS } from "./build.mjs";
import { compare, describe, observe } from "./compare.mjs";
import { check } from "./types.mjs";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    "ravendb-only": { type: "boolean" },
    "edge-only": { type: "boolean" },
    values: { type: "boolean" },
    types: { type: "boolean" },
  },
});

const named = (name) => {
  const found = [...AREAS, ...TOPICS].filter(
    (area) => area === name || (name.endsWith("/") && area.startsWith(name)),
  );
  if (found.length === 0) throw new Error(`no ${name}; there are ${[...AREAS, ...TOPICS]}`);
  return found;
};
const areas = options.only ? options.only.split(",").flatMap(named) : AREAS;

if (options.types) {
  let wrong = 0;
  for (const client of ["ravendb", "edge"]) {
    const all = [...check(client), ...(options.only?.includes("/") ? check(client, "programs") : [])];
    const problems = all.filter(({ area }) => !options.only || areas.includes(area));
    console.log(`${client}: ${problems.length} problems`);
    for (const { text } of problems) console.log(`  ${text}`);
    if (client === "ravendb") wrong += problems.length;
    else wrong += problems.filter(({ area }) => !UNTYPED.includes(area)).length;
  }
  process.exit(wrong > 0 ? 1 : 0);
}

if (!process.env.RAVENDB_URL) throw new Error("RAVENDB_URL says where the RavenDB is");
const alone = options["ravendb-only"];
const [ravendb, edge] = await Promise.all([
  observe("ravendb", areas),
  alone ? undefined : observe("edge", areas),
]);

const rows = [["area", "assertions", "equal", "better", "different"]];
const sum = [0, 0, 0, 0];
const texts = [];
for (const area of areas) {
  const result = compare(ravendb.get(area), edge?.get(area));
  const numbers = [result.assertions, result.equal, result.better, result.differences.length];
  numbers.forEach((number, at) => (sum[at] += number));
  rows.push([area + (NOT_YET.includes(area) ? " (not yet)" : ""), ...numbers]);
  for (const difference of result.differences) texts.push(`${area} / ${describe(difference)}`);
  if (options.values) {
    console.log(`\n${area}`);
    for (const [key, { value, expected }] of ravendb.get(area)) {
      console.log(`  ${key}\n    ${value}`);
      if (expected) console.log(`    edge: ${expected.edge}`);
    }
  }
}
rows.push(["", ...sum]);
if (texts.length > 0) console.log(`\n${texts.join("\n\n")}\n`);
if (!options["edge-only"]) {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, ...cells] of rows)
    console.log(name.padEnd(width), ...cells.map((cell) => String(cell).padStart(10)));
}
process.exitCode = texts.length > 0 ? 1 : 0;
