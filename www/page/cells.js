// The cells of the map: one per number, one long cell for many numbers with the same home, and the server's Max.

/** Rows have a multiple of this many numbers, and long cells end at such a boundary. */
const ROW = 8;

/** Minimum length of a run that becomes a long cell. */
const LONG = 4 * ROW;

/** Splits a run into a cell per number, with one long cell in the middle of long runs. */
function split({ low, high, ...run }) {
  const from = Math.ceil((low - 1) / ROW) * ROW + 1;
  const to = Math.floor(high / ROW) * ROW;
  // The ends stay single cells, because the next changes happen there.
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

/** The parts of the runs above a number. */
const after = (runs, last) =>
  runs.filter(({ high }) => high > last).map((run) => ({ ...run, low: Math.max(run.low, last + 1) }));

const cellsOf = (runs) => runs.flatMap(split);

/**
 * The cells of the runs, at most `most`. Older numbers are combined into one cell with the home `older`; after the
 * number `max` follows a cell with the home `max`.
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
