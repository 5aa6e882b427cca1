// Runs cases with one mutant, or with none, each case alone: on a database of its own, or with its recorded responses. The parent sends
// jobs; each ends with `{ ends: true }`.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import WebSocket from "ws";
import { play, record, seedRandomness } from "./tape.mjs";

/** `first`: the number of the mutant that is on while modules are loaded; -1 is none. */
const { folder, count, first } = JSON.parse(process.argv[2]);
const server = process.env.RAVENDB_URL;
let active = first;

/** What each place of the code has seen: 1 for reached, 2 and 4 for a condition that was true, false. */
const reached = new Uint8Array(count);
globalThis.$mutant = (number) => {
  reached[number] |= 1;
  return number === active;
};
globalThis.$condition = (number, value) => {
  reached[number] |= value ? 3 : 5;
  return number === active ? !value : value;
};
globalThis.WebSocket ??= WebSocket;

let report = () => {};
process.on("unhandledRejection", (error) =>
  report({ section: "(process)", name: "unhandled", value: `${error?.name}: ${error?.message}` }),
);

/** Sends a message; resolves when it was sent. */
const say = (message) => new Promise((resolve) => process.send(message, resolve));
const programOf = async (part) =>
  (await import(pathToFileURL(join(folder, "parts", `${part}.mjs`)).href)).default;
const tapeOf = (name) => join(folder, "tapes", `${createHash("sha1").update(name).digest("hex")}.json`);
const tapes = new Map();

/** Numbers of the places that were reached, each with what was seen there; forgets them. */
function seen() {
  const found = [];
  reached.forEach((value, number) => value && found.push([number, value]));
  reached.fill(0);
  return found;
}

/** Runs a case; returns whether it has ended in time. */
async function runCase(mode, [part, section], limit) {
  const program = await programOf(part);
  // What loading a module reaches belongs to no case.
  if (mode === "record") await say({ atLoad: seen() });
  const name = `${part}: ${section}`;
  await say({ begins: name });
  seedRandomness(mode === "live" ? `${name} ${active} ${process.pid} ${performance.now()}` : name);
  let tape;
  let played;
  if (mode === "record") tape = record(server);
  if (mode === "play") {
    if (!tapes.has(name)) tapes.set(name, JSON.parse(readFileSync(tapeOf(name), "utf8")));
    played = play(server, tapes.get(name));
  }
  const observations = [];
  report = (observation) => observations.push(observation);
  const databases = new Map();
  const without = program.sections.filter((other) => other !== section);
  const run = async () => {
    await program(server, (observation) => report(observation), databases, without);
    await Promise.all([...databases.values()].map((database) => database.remove()));
  };
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limit, "late");
  });
  const failed = (error) => report({ section, name: "(threw)", value: String(error) });
  const isLate = (await Promise.race([run().catch(failed), late])) === "late";
  clearTimeout(timer);
  if (tape) writeFileSync(tapeOf(name), JSON.stringify(tape));
  await say({
    name,
    observations: observations.map(({ section, name, value }) => `${section}: ${name}: ${value}`),
    diverged: played?.diverged ?? (played && !played.isOver ? "requests are missing" : undefined),
    isLive: tape?.some(({ live, ended }) => live || !ended),
    isLate,
    reached: mode === "record" ? seen() : undefined,
  });
  return !isLate;
}

process.on("disconnect", () => process.exit());

let isStopped = false;
process.on("message", async ({ stop, list, mode, mutant, cases, limit }) => {
  if (stop) {
    isStopped = true;
    return;
  }
  if (list) {
    const all = [];
    for (const part of list)
      for (const section of (await programOf(part)).sections) all.push([part, section]);
    await say({ all });
    return;
  }
  isStopped = false;
  active = mutant;
  for (const each of cases) {
    // What a late one has left behind would disturb the next one.
    if (!(await runCase(mode, each, limit))) process.exit();
    if (isStopped) break;
  }
  active = -1;
  await say({ ends: true });
});
