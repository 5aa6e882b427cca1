// What happens in a round. Drawn before the round begins, so that it depends on the seed alone.

/** Spelled in more than one way: the server does not tell them apart. */
const TAGS = ["orders", "Lines", "lines", "ORDERS"];

/** What stores are opened with. */
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

/** So many of what a call does at once, or asks for. */
const COUNTS = {
  take: (random) => random.below(12),
  next: (random) => random.below(6),
  burst: (random) => random.below(60),
  reserve: (random) => random.pick([0, 1, 5, 20, 50]),
};

/** A few of the options for a whole run: what one kind of store parks hides from view what becomes of the others. */
export const planOptions = (random) => random.some(1 + random.below(3), () => random.pick(OPTIONS));

/** A round of so many tabs with so many stores and calls each, of which a share is a trap. */
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
    /** The tabs that are loaded anew with all that is under way, and those after a moment of peace. */
    early: random.some(tabs, () => random.chance(0.4)),
    late: random.some(tabs, () => random.chance(0.2)),
    calm: !back && random.chance(0.5),
  };
}

/** Where a counter goes back to: anywhere, or just below what was issued last, where few who look would see it. */
function planBack(random) {
  return random.chance(0.4) ? { share: random.below(100) / 100 } : { below: 1 + random.below(7) };
}

function planStore(random, { options }) {
  return {
    options: { timeout: 2_500, ...random.pick(options) },
    alone: random.chance(0.5),
  };
}

/** A store that is disposed of while what it needs is on its way. */
function planDispose(random, setting) {
  const step = planStep(random, setting, "burst");
  return [step, { ...planStep(random, setting, "dispose"), at: step.at }];
}

/** A page that goes in the midst of what it was given. */
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
    /** What a store is opened with that follows one that was disposed of. */
    ...(how === "dispose" && planStore(random, setting)),
    /** Milliseconds until what was left off is taken up again, and until the next call. */
    pause: random.below(15),
    wait: random.chance(0.5) ? random.below(20) : undefined,
  };
}
