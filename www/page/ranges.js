// Sets of numbers as sorted lists of `[low, high]`: a million consecutive numbers are one entry.

/** The union of the sets. */
export function union(...sets) {
  const sorted = sets.flat().sort((a, b) => a[0] - b[0]);
  const joined = [];
  for (const [low, high] of sorted) {
    const last = joined.at(-1);
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else joined.push([low, high]);
  }
  return joined;
}

/** The numbers of the first set that are not in the second. */
export function minus(first, second) {
  const left = [];
  let at = 0;
  for (const [low, high] of first) {
    let from = low;
    while (at < second.length && second[at][1] < low) at++;
    for (let next = at; next < second.length && second[next][0] <= high; next++) {
      const [start, end] = second[next];
      if (start > from) left.push([from, start - 1]);
      from = end + 1;
    }
    if (from <= high) left.push([from, high]);
  }
  return left;
}

/** The intersection of two sets. */
export const within = (first, second) => minus(first, minus(first, second));

export const upTo = (set, last) => within(set, last > 0 ? [[1, last]] : []);

export const above = (set, last) => minus(set, last > 0 ? [[1, last]] : []);

/** How many numbers a set contains. */
export const size = (set) => set.reduce((sum, [low, high]) => sum + high - low + 1, 0);

/** The highest number; 0 for an empty set. */
export const top = (set) => set.at(-1)?.[1] ?? 0;

/** As text: `2 – 9, 17`. */
export const words = (set) =>
  set.map(([low, high]) => (low === high ? `${low}` : `${low} – ${high}`)).join(", ");
