// Runs the program with both clients and compares their observations.
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./build.mjs";

const CHILD = fileURLToPath(new URL("./child.mjs", import.meta.url));

/**
 * What npm `ravendb` rejects, now and then, where no app can catch it: its changes were disposed of before the server has confirmed one of
 * its commands.
 */
const PEERS_OWN = "InvalidOperationException: Object was disposed";

/** Timeout of an area, in milliseconds. */
const LIMIT = 400_000;

/** The observations of a client in these areas: a map from area to a map from "section: name" to the observation. */
export async function observe(client, areas) {
  const folder = await mkdtemp(join(tmpdir(), `compat-${client}-`));
  try {
    await bundle(client, folder, areas);
    const seen = new Map(areas.map((area) => [area, new Map()]));
    let left = areas;
    // A process that dies loses one area; the others continue in another process.
    while (left.length > 0) left = await start(client, folder, left, seen);
    return seen;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function start(client, folder, areas, seen) {
  return new Promise((resolve) => {
    const child = fork(CHILD, [folder, ...areas], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      execArgv: ["--enable-source-maps"],
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => (printed = (printed + data).slice(-2_000)));
    const ended = new Set();
    let running = areas[0];
    let timer;
    child.on("message", ({ area, begins, ends, observation }) => {
      if (begins) {
        running = area;
        clearTimeout(timer);
        timer = setTimeout(() => child.kill("SIGKILL"), LIMIT);
      }
      if (ends) ended.add(area);
      const isPeersOwn =
        client === "ravendb" && observation?.section === "(process)" && observation.value === PEERS_OWN;
      if (observation && !isPeersOwn) add(seen.get(area), observation);
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      if (!ended.has(running)) {
        add(seen.get(running), {
          section: "(process)",
          name: "died",
          value: `exit ${code ?? signal}: ${printed.trim().slice(-600)}`,
        });
        ended.add(running);
      }
      resolve(areas.filter((area) => !ended.has(area)));
    });
  });
}

/** Adds an observation under its key. */
export function add(observations, observation) {
  const key = `${observation.section}: ${observation.name}`;
  if (observations.has(key)) observation.value = `(the name is used twice) ${observation.value}`;
  observations.set(key, observation);
}

/**
 * Compares the observations of an area. `differences` lists observations with unexpected values, and the values of both
 * packages. Without `edge`, only the values of npm `ravendb` are compared with the expected ones.
 */
export function compare(ravendb, edge) {
  const result = { assertions: 0, equal: 0, better: 0, differences: [] };
  const keys = new Set([...ravendb.keys(), ...(edge?.keys() ?? [])]);
  for (const key of keys) {
    const there = ravendb.get(key);
    const here = edge?.get(key);
    const expected = (there ?? here).expected;
    const failed = key.includes("(the section failed)") || key.startsWith("(process)");
    const none = failed ? "(did not fail)" : "(not observed)";
    if (!failed) result.assertions++;
    const wanted = { ravendb: expected?.ravendb, edge: expected ? expected.edge : there?.value };
    const right =
      there !== undefined &&
      !failed &&
      (wanted.ravendb === undefined || there.value === wanted.ravendb) &&
      (edge === undefined || here?.value === wanted.edge);
    if (right && expected) result.better++;
    else if (right) result.equal++;
    else {
      result.differences.push({
        key,
        ravendb: there?.value ?? none,
        edge: edge === undefined ? undefined : (here?.value ?? none),
        expected,
      });
    }
  }
  return result;
}

/** A difference, as text. */
export function describe({ key, ravendb, edge, expected }) {
  const lines = [key];
  const line = (name, value, wanted) => {
    lines.push(`  ${name.padEnd(8)} ${value}`);
    if (wanted !== undefined && wanted !== value) lines.push(`  ${"".padEnd(8)} should be ${wanted}`);
  };
  line("ravendb", ravendb, expected?.ravendb);
  if (edge !== undefined) line("edge", edge, expected?.edge);
  return lines.join("\n");
}
