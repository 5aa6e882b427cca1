// Numbers that look random and come again with the same seed.

/** A generator of its own for each list of seeds: what one draws does not shift what another gets. */
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
    /** A whole number from 0 on, below the limit. */
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)],
    /** So many of what `make` gives. */
    some: (count, make) => Array.from({ length: count }, make),
  };
}
