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

/** A round of so many tabs with so many stores and calls each, of which a share is a trap. */
export function planRound(random, { tabs, stores, calls, traps, back }) {
  return {
    tabs: random.some(tabs, () => ({
      stores: random.some(stores, () => planStore(random)),
      steps: [
        ...random.some(3 + random.below(calls), () => planStep(random, stores, traps)),
        ...(random.chance(0.3) ? planEnd(random, stores) : []),
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
  return random.chance(0.4) ? { share: random.below(100) / 100 } : { below: random.below(20) };
}

function planStore(random) {
  return {
    options: { timeout: 2_500, ...random.pick(OPTIONS) },
    alone: random.chance(0.5),
  };
}

/** A store that is disposed of while what it needs is on its way. */
function planEnd(random, stores) {
  const step = planStep(random, stores, 0, "burst");
  return [step, { ...planStep(random, stores, 0, "dispose"), at: step.at }];
}

function planStep(random, stores, traps, wanted) {
  const how = wanted ?? (random.chance(traps) ? "trap" : random.pick(CALLS));
  return {
    how,
    at: random.below(stores),
    tag: random.pick(TAGS),
    count: COUNTS[how]?.(random),
    /** What a store is opened with that follows one that was disposed of. */
    ...(how === "dispose" && planStore(random)),
    /** Milliseconds until what was left off is taken up again, and until the next call. */
    pause: random.below(15),
    wait: random.chance(0.5) ? random.below(20) : undefined,
  };
}
