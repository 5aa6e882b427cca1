// Stores whose members are called at random while device, network and server fail: no id twice, and every store stays
// usable. The seed determines the calls and the faults; their timing depends on the engine.
import { atRandom } from "./random/run.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";

/** The network, a share of the transactions, and sometimes the module fail. */
const FAILING = { calls: 100, rounds: 5, traps: 0.02, device: 0.015, network: true, seeds: [1] };

const KINDS = {
  "one tab": { ...FAILING, tabs: 1, stores: 3 },
  "two tabs": { ...FAILING, tabs: 2, stores: 2 },
  // Without deaths, device failures and a second tab: a new page would not always know which numbers were issued, and could not notice
  // that the counter went back.
  "counters that go back": {
    tabs: 1,
    stores: 1,
    calls: 20,
    rounds: 20,
    traps: 0,
    device: 0,
    back: true,
    // Only with `--full`: faults that it has found have their own tests (`pool`, `tabs`), which find them every time.
    seeds: [],
  },
};

/** Different ones in each run with `--full`. */
const MANY = 60;
const first = Date.now() % 1_000_000;
const seedsOf = ({ seeds }) => {
  if (process.env.SEED) return process.env.SEED.split(",").map(Number);
  return full ? Array.from({ length: MANY }, (_, at) => first + at) : seeds;
};

for (const [kind, options] of Object.entries(KINDS))
  for (const seed of seedsOf(options))
    atRandom(`no id is issued twice, whatever is called [${kind}, seed ${seed}]`, {
      ...options,
      seed,
      again: `SEED=${seed} node --test --test-name-pattern='${kind}' tests/browsers/random.test.mjs`,
    });
