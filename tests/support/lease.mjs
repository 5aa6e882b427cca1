// What a client sends for a lease, by hand; and chance that can be had again.

/** The script of a fenced return, letter by letter. */
export const MOVE_SCRIPT =
  "const m = getMetadata(this); if (m['@change-vector'] + ' ' + m['@last-modified'] === args.fence && this.Max === args.high) this.Max = args.last";

/** Whole numbers below a limit, the same ones for the same seed. */
export function random(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
