// The events of a round, drawn before the round begins, so that they depend on the seed alone.

/** RavenDB's counters, and the collections whose documents use their numbers. */
export const TAGS = { orders: "Orders", notes: "Notes" };

// JSON has no Infinity.
const KEEPS = [undefined, undefined, 0, 8, "Infinity"];

/** A round; `restart` is the share of rounds that end with the death of the whole browser. */
export function planRound(random, restart) {
  const tabs = random.some(random.pick([1, 1, 2, 2, 3]), () => planTab(random));
  return {
    tabs,
    // An action of a user, after the work or during it.
    detour: random.chance(0.6) && {
      tab: random.below(tabs.length),
      how: random.pick(["reload", "close", "away"]),
      early: random.chance(0.6),
    },
    other: random.chance(0.3) && {
      tag: random.pick(Object.keys(TAGS)),
      count: 1 + random.below(6),
      dispose: random.chance(0.5),
    },
    deaths: [
      // First one page dies, and the others live on.
      ...(tabs.length > 1 && random.chance(0.6) ? [planDeath(random, "content")] : []),
      planDeath(random, random.chance(restart) ? "browser" : random.pick(["content", "content", "contents"])),
    ],
  };
}

/** Death comes during the work, after this many of its ids. */
function planDeath(random, how) {
  return { how, tab: random.below(3), after: random.below(8) };
}

function planTab(random) {
  const stores = random.some(random.chance(0.35) ? 2 : 1, () => ({ keep: random.pick(KEEPS) }));
  const lane = (length) => random.some(length, () => planStep(random, stores.length));
  return {
    stores,
    work: random.some(1 + random.below(2), () => lane(2 + random.below(3))),
    last: random.some(1 + random.below(2), () => lane(3)),
  };
}

function planStep(random, stores) {
  const how = random.pick([
    ...["next", "next", "burst", "burst", "take", "take", "save", "save", "save"],
    ...["reserve", "release", "release", "dispose", "dispose"],
  ]);
  return {
    how,
    store: random.below(stores),
    tag: random.pick(Object.keys(TAGS)),
    count: how === "reserve" ? random.below(40) : 1 + random.below(random.pick([3, 12])),
  };
}
