// Which broken lines the compatibility program, the documentation programs and `unit/rql` notice: tests/README.md has the result.
// `RAVENDB_URL=… node tests/compat/mutants.mjs [--seed N] [--count N] [--modules query,rql] [--all] [--out FILE] [--compare FILE]`
//
// npm `ravendb` is not needed: without mutants the observations of both packages are the same, so a mutant dies if those of this package
// differ from those of the recorded run.
// --count    how many mutants that some case reaches; the seed selects them
// --all      tries all cases about queries, and prints those that show nothing of their own; without RavenDB, so some dead mutants are
//            not counted
// --keep     uses the recorded run of the last time
// --out      writes which mutants died, and by which case
// --compare  a file of `--out`: prints the mutants that died then and survive now
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { random } from "../support/random.mjs";
import { buildInto, mutated, PARTS } from "./mutants/build.mjs";
import { redundant } from "./mutants/redundant.mjs";
import { Runner } from "./mutants/run-cases.mjs";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "400" },
    modules: { type: "string", default: "query,rql,loading,query-extras" },
    all: { type: "boolean" },
    keep: { type: "boolean" },
    out: { type: "string" },
    compare: { type: "string" },
  },
});
if (!process.env.RAVENDB_URL) throw new Error("RAVENDB_URL says where the RavenDB is");

/** How long a case may take, in milliseconds: recorded or with RavenDB, and with recorded responses. */
const LIMIT = 60_000;
const PLAYED_LIMIT = 10_000;
const LANES = 4;
/** The cases of which redundant ones are sought: those about queries, but not about saving, loading or documented differences. */
const MAY_GO = /^(queries|query-\w+(-\w+)?|rql|projections|queries\/\w+):/;
const STAYS =
  /\.(load|saveChanges|delete|evict|store|lazily|isLoaded|numberOfRequests|hasChanges|whatChanged)\b|Loaded|better\(/;

const folder = fileURLToPath(new URL("../../target/mutants/", import.meta.url));
const recorded = join(folder, "recorded.json");
const { mutants, codes } = mutated();
const nameOf = (test) => test.join(": ");
const textOf = (mutant) => mutant && `${mutant.file}:${mutant.line} ${mutant.kind}: ${mutant.text}`;

/** Runs jobs in a few lanes. */
async function inLanes(count, jobs, run) {
  const left = [...jobs];
  const lane = async () => {
    while (left.length > 0) await run(left.shift());
  };
  await Promise.all(Array.from({ length: count }, lane));
}

/** Runs all cases without a mutant: the result of each by its name, and the places that are reached while modules are loaded. */
async function runUnbroken(mode, cases, limit) {
  const results = {};
  const atLoad = new Set();
  const parts = new Map(cases.map(([part]) => [part, []]));
  for (const each of cases) parts.get(each[0]).push(each);
  await inLanes(LANES, [...parts.values()], async (some) => {
    const runner = new Runner(folder, mutants.length);
    await runner.run({ mode, mutant: -1, limit, cases: some }, (result) => {
      for (const [number] of result.atLoad ?? []) atLoad.add(number);
      if (result.name) results[result.name] = result;
    });
    runner.end();
  });
  return { results, atLoad: [...atLoad] };
}

async function prepare() {
  if (!options.keep) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, "tapes"), { recursive: true });
  }
  await buildInto(folder, codes);
  const lister = new Runner(folder, mutants.length);
  const cases = await lister.list(PARTS);
  lister.end();
  if (options.keep) return { cases, ...JSON.parse(readFileSync(recorded, "utf8")) };
  const { results, atLoad } = await runUnbroken("record", cases, LIMIT);
  const played = await runUnbroken("play", cases, PLAYED_LIMIT);
  for (const [name, result] of Object.entries(results)) {
    const again = played.results[name];
    result.isPlayable =
      !result.isLive && !again.diverged && !again.isLate && same(result.observations, again.observations);
  }
  writeFileSync(recorded, JSON.stringify({ results, atLoad }));
  return { cases, results, atLoad };
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Observations of a case with RavenDB and a mutant, in a process of its own. */
async function observeLive(mutant, each) {
  const runner = new Runner(folder, mutants.length, mutant);
  let observed;
  await runner.run({ mode: "live", mutant, limit: LIMIT, cases: [each] }, (result) => {
    observed = result.observations;
  });
  runner.end();
  return observed;
}

/** Whether a case observes the same in each run without a mutant; else it shows nothing. */
const steady = new Map();
function isSteady(each, results) {
  const name = nameOf(each);
  const run = async () => same(await observeLive(-1, each), results[name].observations);
  if (!steady.has(name)) steady.set(name, run());
  return steady.get(name);
}

/** Runs a mutant with recorded responses. `diverged`: cases that have sent another request; RavenDB has to say what they observe then. */
async function playMutant(runner, mutant, cases, { isAll, isAny } = {}) {
  const killed = [];
  const diverged = [];
  await runner.run({ mode: "play", mutant, limit: PLAYED_LIMIT, cases }, (result) => {
    if (result.diverged) diverged.push(result.name);
    else if (!same(result.observations, results[result.name].observations)) killed.push(result.name);
    return killed.length + (isAny ? diverged.length : 0) > 0 && !isAll;
  });
  return { killed, diverged };
}

/** The cases that reach each mutant. Code that runs while a module is loaded belongs to the cases that use its file. */
function reaching(cases, results, atLoad) {
  const found = mutants.map(() => new Set());
  const ofFile = new Map(mutants.map(({ file }) => [file, new Set()]));
  for (const each of cases) {
    const { isPlayable, reached } = results[nameOf(each)];
    if (!isPlayable) continue;
    for (const [number] of reached) {
      found[number].add(each);
      ofFile.get(mutants[number].file).add(each);
    }
  }
  const early = new Set(atLoad);
  return found.map((some, number) => [...(early.has(number) ? ofFile.get(mutants[number].file) : some)]);
}

const { cases, results, atLoad } = await prepare();
const early = new Set(atLoad);
const reach = reaching(cases, results, atLoad);
const modules = options.modules.split(",");
const { below } = random(Number(options.seed));
const candidates = mutants.flatMap(({ module }, number) =>
  modules.includes(module) && reach[number].length > 0 ? [number] : [],
);
const chosen = [];
while (candidates.length > 0 && chosen.length < Number(options.count))
  chosen.push(...candidates.splice(below(candidates.length), 1));

console.log(`seed ${options.seed}: ${chosen.length} mutants; ${cases.length} cases`);
const former = options.compare ? JSON.parse(readFileSync(options.compare, "utf8")) : {};
if (Object.entries(former).some(([number, mutant]) => textOf(mutant) !== textOf(mutants[number])))
  throw new Error(`${options.compare} is of other sources: its mutants are not those of pkg/src`);
const outcomes = {};
const byName = new Map(cases.map((each) => [nameOf(each), each]));
await inLanes(LANES, [...Array(LANES)], async () => {
  const shared = new Runner(folder, mutants.length);
  for (let number = chosen.pop(); number !== undefined; number = chosen.pop()) {
    outcomes[number] = { ...mutants[number], ...(await tryMutant(shared, number)) };
    const count = Object.keys(outcomes).length;
    if (count % 20 === 0) console.log(`${count} mutants, ${new Date().toISOString()}`);
    if (options.out) writeFileSync(options.out, JSON.stringify(outcomes));
  }
  shared.end();
});

/** What the cases make of a mutant. Without `--all`, the first case that kills it is enough. */
async function tryMutant(shared, number) {
  // What noticed it then comes first; what nothing noticed with more cases is not tried again.
  const noticed = former[number] ? [...former[number].killed, ...former[number].diverged] : [];
  if (former[number] && noticed.length === 0) return { killed: [], diverged: [] };
  const some = [...new Set([...noticed.map((name) => byName.get(name)).filter(Boolean), ...reach[number]])];
  const own = early.has(number) ? new Runner(folder, mutants.length, number) : undefined;
  const runner = own ?? shared;
  const first = options.all ? some.filter((each) => MAY_GO.test(nameOf(each))) : some;
  const outcome = await playMutant(runner, number, first, { isAll: options.all });
  if (options.all) {
    // Of the others, one that notices is enough: they stay anyway.
    const rest = await playMutant(
      runner,
      number,
      some.filter((each) => !first.includes(each)),
      { isAny: true },
    );
    for (const kind of ["killed", "diverged"]) outcome[kind].push(...rest[kind]);
  } else if (outcome.killed.length === 0) {
    for (const name of outcome.diverged) {
      const each = byName.get(name);
      const observed = await observeLive(number, each);
      if (same(observed, results[name].observations) || !(await isSteady(each, results))) continue;
      outcome.killed.push(name);
      break;
    }
  }
  own?.end();
  return outcome;
}

console.log("module        mutants  killed");
for (const module of modules) {
  const own = Object.values(outcomes).filter((outcome) => outcome.module === module);
  const dead = own.filter(({ killed }) => killed.length > 0);
  console.log(module.padEnd(14), String(own.length).padStart(6), String(dead.length).padStart(7));
}
if (options.all) {
  const gone = redundant(cases, results, outcomes, (name, text) => MAY_GO.test(name) && !STAYS.test(text));
  for (const { name, lines } of gone) console.log(`nothing of its own: ${name} (${lines} lines)`);
}
if (options.compare) {
  const alive = Object.entries(former).filter(
    ([number, { killed }]) => killed.length > 0 && !outcomes[number]?.killed.length,
  );
  console.log(`${alive.length} mutants survive that died before`);
  for (const [, mutant] of alive) console.log(`  ${textOf(mutant)} (${mutant.killed[0]})`);
  process.exitCode = alive.length > 0 ? 1 : 0;
}
