// Runs rounds of steps and measures their CPU time; prints the median of each step as one JSON line.

/** Rounds of a warm process. */
const WARM_UP = 3;
const ROUNDS = 15;

/** CPU microseconds that this process has used, in all threads, because garbage collection is part of the cost. */
export function cpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Records the cost of a step. */
export function note(into, name, took) {
  into[name] ??= [];
  into[name].push(took);
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

/** Runs `round(times)`: once in a `fresh` process, else again and again after the engine has warmed up. */
export async function rounds(mode, round) {
  const times = {};
  const [unmeasured, measured] = mode === "fresh" ? [0, 1] : [WARM_UP, ROUNDS];
  for (let at = 0; at < unmeasured + measured; at++) {
    await round(at < unmeasured ? {} : times);
    // Garbage is collected between rounds.
    await new Promise((resolve) => setTimeout(resolve));
  }
  const medians = Object.entries(times).map(([step, list]) => [step, median(list)]);
  console.log(JSON.stringify(Object.fromEntries(medians)));
}
