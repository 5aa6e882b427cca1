// What the map draws: a cell for each number, one long cell for many alike, and the line of the server's Max.

/** Numbers stand in rows of a multiple of this, and long cells end where such a row does. */
const ROW = 8;

/** So many alike make a long cell. */
const LONG = 4 * ROW;

/** Numbers of a run as cells of their own, but for what is long in the middle. */
function split({ low, high, ...run }) {
  const from = Math.ceil((low - 1) / ROW) * ROW + 1;
  const to = Math.floor(high / ROW) * ROW;
  // Its ends stay visible, for there something happens next.
  const [first, last] = [from === low ? low : from, to - (to === high ? ROW : 0)];
  const long = last - first + 1 >= LONG;
  const cells = [];
  const each = (start, end) => {
    for (let number = start; number <= end; number++) cells.push({ ...run, low: number, high: number });
  };
  each(low, long ? first - 1 : high);
  if (long) {
    cells.push({ ...run, low: first, high: last });
    each(last + 1, high);
  }
  return cells;
}

/** The runs above a number, cut where it lies within one. */
const after = (runs, last) =>
  runs.filter(({ high }) => high > last).map((run) => ({ ...run, low: Math.max(run.low, last + 1) }));

const cellsOf = (runs) => runs.flatMap(split);

/**
 * The cells of the runs, `most` of them at most: what is older is one cell, whose home is `older`. Behind the number `max`
 * comes a cell with the home `max`.
 */
export function cells(runs, max, most) {
  let shown = cellsOf(runs);
  let older = [];
  if (shown.length > most) {
    const cut = Math.floor((shown.at(-most).low - 1) / ROW) * ROW;
    shown = cellsOf(after(runs, cut));
    older = [{ low: 1, high: cut, home: "older", who: "" }];
  }
  const line = { low: max, high: max, home: "max", who: "" };
  const at = shown.findIndex(({ low }) => low > max);
  const [below, above] = at < 0 ? [shown, []] : [shown.slice(0, at), shown.slice(at)];
  return max > 0 ? [...older, ...below, line, ...above] : [];
}
