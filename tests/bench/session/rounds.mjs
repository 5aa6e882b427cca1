// Rounds of steps whose CPU is taken; prints the median of each step as one JSON line.
const ROUNDS = 25;
const WARM_UP = 3;

/** Microseconds of CPU that this process has used, in all its threads. */
export function cpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Notes what a step took. */
export function note(into, name, took) {
  into[name] ??= [];
  into[name].push(took);
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

/** Runs `round(times)` again and again, the first ones for the engine to warm up. */
export async function rounds(round) {
  const times = {};
  for (let at = 0; at < WARM_UP + ROUNDS; at++) {
    await round(at < WARM_UP ? {} : times);
    // What is left is collected in a turn of its own.
    await new Promise((resolve) => setTimeout(resolve));
  }
  const medians = Object.entries(times).map(([step, list]) => [step, median(list)]);
  console.log(JSON.stringify(Object.fromEntries(medians)));
}
