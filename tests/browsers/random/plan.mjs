// The events of a round, drawn before the round begins, so that they depend on the seed alone.

/** Spelled in several ways, which the server does not distinguish. */
const TAGS = ["orders", "Lines", "lines", "ORDERS"];

/** Options of stores. */
const OPTIONS = [
  {},
  { keep: 0 },
  { keep: Number.POSITIVE_INFINITY },
  { keep: 3, capacity: 1 },
  { keep: 1, timeout: 30 },
  { timeout: 300 },
  { keep: { orders: 2, lines: 0 } },
];

const CALLS = [
  ..."take take take take next next next burst burst".split(" "),
  ..."reserve release dispose blip blip freeze status".split(" "),
];

/** The number of parallel calls, or of requested numbers. */
const COUNTS = {
  take: (random) => random.below(12),
  next: (random) => random.below(6),
  burst: (random) => random.below(60),
  reserve: (random) => random.pick([0, 1, 5, 20, 50]),
};

/**
 * A few of the options for a whole run: otherwise numbers that one kind of store parks would hide the effect on
 * others.
 */
export const planOptions = (random) => random.some(1 + random.below(3), () => random.pick(OPTIONS));

/** A round with this many tabs, stores and calls each, a share of which are traps. */
export function planRound(random, setting) {
  const { tabs, stores, calls, back } = setting;
  return {
    tabs: random.some(tabs, () => ({
      stores: random.some(stores, () => planStore(random, setting)),
      steps: [
        ...random.some(3 + random.below(calls), () => planStep(random, setting)),
        ...random.pick([() => [], planDispose, planUse])(random, setting),
      ],
    })),
    back: back && random.chance(0.6) ? { orders: planBack(random), lines: planBack(random) } : {},
    /** Tabs that are reloaded with everything pending, and those that are reloaded after a pause. */
    early: random.some(tabs, () => random.chance(0.4)),
    late: random.some(tabs, () => random.chance(0.2)),
    calm: !back && random.chance(0.5),
  };
}

/** The new value of a lowered counter: any, or just below the last issued number, where it is hard to notice. */
function planBack(random) {
  return random.chance(0.4) ? { share: random.below(100) / 100 } : { below: 1 + random.below(7) };
}

function planStore(random, { options }) {
  return {
    options: { timeout: 2_500, ...random.pick(options) },
    alone: random.chance(0.5),
  };
}

/** A store that is disposed while something that it needs is pending. */
function planDispose(random, setting) {
  const step = planStep(random, setting, "burst");
  return [step, { ...planStep(random, setting, "dispose"), at: step.at }];
}

/** A page that is left in the middle of its work. */
function planUse(random, setting) {
  return random.some(8, () => planStep(random, setting, random.pick(["next", "take"])));
}

function planStep(random, setting, wanted) {
  const { stores, traps } = setting;
  const how = wanted ?? (random.chance(traps) ? "trap" : random.pick(CALLS));
  return {
    how,
    at: random.below(stores),
    tag: random.pick(TAGS),
    count: COUNTS[how]?.(random),
    /** The options of a store that follows a disposed one. */
    ...(how === "dispose" && planStore(random, setting)),
    /** Milliseconds until interrupted work is resumed, and until the next call. */
    pause: random.below(15),
    wait: random.chance(0.5) ? random.below(20) : undefined,
  };
}
