// The picture of a drill: operations per interval as bars, faults as marks on lines below, by kind.

const WIDTH = 960;
const LEFT = 190;
const HEIGHT = 150;
const LINE = 17;
const INTERVALS = 120;
const COLOURS = { id: "#8aa4c8", saved: "#2f8f5b", queued: "#c98a1b" };
const NAMES = { id: "ids", saved: "saves", queued: "queued changes" };

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const text = (x, y, content, more = "") => `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`;

export function picture({ recorder, minutes, seed }) {
  const total = minutes * 60_000;
  const x = (at) => LEFT + (Math.min(at, total) / total) * (WIDTH - LEFT - 20);
  const faults = recorder.timeline.filter(({ kind }) => kind === "fault");
  const kinds = [...new Set(faults.map(({ what }) => what))].toSorted();
  const top = 50;
  const bottom = top + HEIGHT;
  const height = bottom + 40 + kinds.length * LINE + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11" fill="#444">
<rect width="100%" height="100%" fill="#fff"/>
${text(LEFT, 20, `A drill of ${minutes} minutes, seed ${seed}: operations and faults`, 'font-size="14" fill="#111"')}
${bars(recorder.timeline, total, x, top, bottom)}
${legend()}
${Array.from({ length: 7 }, (_, at) => text(x((total * at) / 6), bottom + 15, `${Math.round((minutes * at) / 6)} min`, 'text-anchor="middle"')).join("\n")}
${kinds.map((what, at) => line(what, faults, x, bottom + 40 + at * LINE)).join("\n")}
</svg>
`;
}

function bars(timeline, total, x, top, bottom) {
  const kinds = Object.keys(COLOURS);
  const slots = Array.from({ length: INTERVALS }, () => Object.fromEntries(kinds.map((kind) => [kind, 0])));
  for (const { at, kind, what } of timeline)
    if (kind === "operation" && kinds.includes(what) && at < total)
      slots[Math.floor((at / total) * INTERVALS)][what]++;
  const sum = (slot) => kinds.reduce((all, kind) => all + slot[kind], 0);
  const most = Math.max(1, ...slots.map(sum));
  const width = (x(total) - x(0)) / INTERVALS;
  const shapes = slots.flatMap((slot, at) => {
    let y = bottom;
    return kinds.map((kind) => {
      const tall = (slot[kind] / most) * (bottom - top);
      y -= tall;
      const place = `x="${(x(0) + at * width).toFixed(1)}" y="${y.toFixed(1)}"`;
      return `<rect ${place} width="${(width - 0.6).toFixed(1)}" height="${tall.toFixed(1)}" fill="${COLOURS[kind]}"/>`;
    });
  });
  const seconds = total / INTERVALS / 1_000;
  return [
    ...shapes,
    text(LEFT - 8, top + 10, `${most}`, 'text-anchor="end"'),
    text(LEFT - 8, top + 24, `in ${seconds} s`, 'text-anchor="end"'),
    text(LEFT - 8, bottom, "0", 'text-anchor="end"'),
  ].join("\n");
}

const legend = () =>
  Object.entries(COLOURS)
    .map(([kind, colour], at) => {
      const x = LEFT + at * 130;
      return `<rect x="${x}" y="30" width="10" height="10" fill="${colour}"/>${text(x + 15, 39, NAMES[kind])}`;
    })
    .join("\n");

/** One kind of fault: a mark for each, as long as it took. */
function line(what, faults, x, y) {
  const own = faults.filter((fault) => fault.what === what);
  const marks = own.map(({ at, until = at }) => {
    const wide = Math.max(2, x(until) - x(at)).toFixed(1);
    return `<rect x="${x(at).toFixed(1)}" y="${y - 9}" width="${wide}" height="10" fill="#b23b3b" opacity="0.75"/>`;
  });
  const base = `<line x1="${LEFT}" y1="${y + 3}" x2="${WIDTH - 20}" y2="${y + 3}" stroke="#e4e4e4"/>`;
  return [base, text(LEFT - 8, y, `${what} (${own.length})`, 'text-anchor="end"'), ...marks].join("\n");
}
