// Pseudo-random numbers, reproducible by seed.

/** A separate generator for each list of seeds: its numbers do not depend on other generators. */
export function random(...seeds) {
  let state = seeds.reduce((hash, seed) => Math.imul(hash ^ seed, 0x9e3779b1) >>> 0, 0x2545f491);
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    /** An integer from 0 to `limit` − 1. */
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)],
    /** A list of `count` results of `make`. */
    some: (count, make) => Array.from({ length: count }, make),
  };
}
