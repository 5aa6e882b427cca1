// A program drawn from a seed. Its steps are plain JSON, so that a failure can print them.

const IDS = ["p/a", "p/b", "p/c", "p/a/b", "p/Größe", "p/c d", "p/?&=#%+", "q/x", "q/€", "q/😀", "plain"];
const KEYS = ["a", "b", "list", "deep", "at", "rank", "größe", "two words", "$x", "length", "ref"];
const TEXTS = ["", "a", "Größe €", "😀", 'a "quoted" \\ text', "line\nbreak", "2020-02-29T12:00:00.0000000"];
const NUMBERS = [0, 1, -1, 1.5, 1e21, 1e-7, 1e300, 9007199254740991, { $zero: 1 }];
/** Milliseconds; includes times when time zones differed from UTC by seconds. */
const DATES = [0, 1582979415123, -62135500000000, 253402200000000, -2500000000000];
const TIMES = ["2100-01-01T00:00:00.0000000Z", "2101-01-01T00:00:00.0000000Z"];
const WHERE = [
  ["whereEquals", "rank", 1],
  ["whereGreaterThan", "rank", 1],
  ["whereIn", "rank", [0, 3]],
];
const ENDS = ["all", "all", "count", "any", "firstOrNull", "first", "singleOrNull"];
const MODES = ["None", "None", "Writes", "WritesAndReads"];
const OPTIONS = [{ noTracking: true }, {}, { optimisticConcurrencyMode: "Writes" }];
const LISTINGS = [{}, { start: 1, pageSize: 2 }, { matches: "a*|c*" }, { startAfter: "p/a" }];

export function plan(random) {
  const steps = random.some(8 + random.below(24), () => {
    const how = random.pick(HOWS);
    return { how, at: random.below(3), ...STEPS[how](random) };
  });
  return {
    mode: random.pick(MODES),
    utc: random.chance(0.3),
    listens: random.chance(0.4),
    /** Whether a listener modifies each document that is about to be stored. */
    stamps: random.chance(0.3),
    steps: [...steps, ...[0, 1, 2].map((at) => ({ how: "save", at }))],
  };
}

const id = (random) => random.pick(IDS);
const ids = (random) => random.some(1 + random.below(4), () => id(random));
const oneOrMore = (random) => (random.chance(0.5) ? id(random) : ids(random));
const perhaps = (random, make) => (random.chance(0.5) ? make(random) : undefined);
/** One of the session's entities. */
const ref = (random) => random.below(100);

function value(random, depth = 0) {
  const kinds = [
    () => random.pick(TEXTS),
    () => random.pick(NUMBERS),
    () => random.chance(0.5),
    () => (random.chance(0.6) ? null : { $undefined: 1 }),
    () => ({ $date: random.pick(DATES) }),
    () => random.some(random.below(4), () => value(random, depth + 1)),
    () => object(random, depth + 1),
    () => ({ $part: object(random, depth + 1) }),
    () => ({ $set: random.some(random.below(3), () => random.pick(TEXTS)) }),
    () => ({ $map: random.some(random.below(3), () => [random.pick(TEXTS), random.pick(NUMBERS)]) }),
  ];
  return kinds[random.below(depth > 2 ? 5 : kinds.length)]();
}

const object = (random, depth) =>
  Object.fromEntries(random.some(random.below(5), () => [random.pick(KEYS), value(random, depth)]));

const STEPS = {
  open: (random) => ({ options: random.pick(OPTIONS) }),
  store: (random) => ({
    fields: { ...object(random, 0), rank: random.below(5), ref: id(random), refs: perhaps(random, ids) },
    kind: random.pick(["Object", "MyThing", "MyPart"]),
    id: random.pick([undefined, "things/", "things|", ...ids(random)]),
    /** Whether the id is set on the entity instead of passed to `store`. */
    shown: random.chance(0.5),
  }),
  load: (random) => ({ ids: oneOrMore(random), kind: random.pick([undefined, undefined, "MyThing"]) }),
  include: (random) => ({ ids: oneOrMore(random), path: random.pick(["ref", "refs"]) }),
  startingWith: (random) => ({ prefix: random.pick(["p/", "P/", "q/"]), options: random.pick(LISTINGS) }),
  /** `inner`: something inside the entity is changed. */
  change: (random) => ({
    ...{ ref: ref(random), key: random.pick(KEYS), inner: random.chance(0.3) },
    value: random.chance(0.15) ? { $gone: 1 } : value(random),
  }),
  remove: (random) => ({ ref: ref(random), id: perhaps(random, id) }),
  save: () => ({}),
  look: (random) => ({ id: id(random) }),
  patch: (random) => ({
    ...{ ref: ref(random), id: perhaps(random, id) },
    by: random.pick(["patch", "increment", "patchArray", "patchObject"]),
    value: random.pick(["x", 5, true, { a: [1] }, [1, 2]]),
  }),
  metadata: (random) => ({
    ...{ ref: ref(random), key: random.pick(["Color", "@expires", "@archive-at"]) },
    value: random.pick(TIMES),
  }),
  refresh: (random) => ({ ref: ref(random) }),
  clear: () => ({}),
  lazy: (random) => ({ many: random.some(1 + random.below(3), () => ids(random)) }),
  exists: (random) => ({ id: id(random) }),
  /** A write of another client. */
  other: (random) => ({ id: id(random), rank: perhaps(random, () => random.below(5)) }),
  query: (random) => ({
    ...{ where: random.pick(WHERE), order: random.pick(["orderBy", "orderByDescending"]) },
    ...{ skip: random.below(2), take: random.pick([1, 2, 10]), end: random.pick(ENDS) },
  }),
  defer: (random) => ({ id: id(random), put: random.chance(0.5) }),
};

/** The weights of the calls. */
const SHARES = {
  store: 6,
  load: 6,
  change: 8,
  save: 6,
  look: 3,
  patch: 3,
  include: 2,
  startingWith: 2,
  open: 2,
};
const HOWS = Object.keys(STEPS).flatMap((how) => Array(SHARES[how] ?? 1).fill(how));
