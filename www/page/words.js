// What the map says of a cell, a run and a tab.

import { count } from "./dom.js";
import { HOMES } from "./homes.js";

const holders = {
  hand: (who) => `in the memory of tab ${who}`,
  issued: (who) => (who ? `by tab ${who}` : "elsewhere, or before this map began"),
  parked: () => "on this device, for all tabs",
};

/** Who has or had these numbers; what their home means where nobody has. */
export const holderOf = ({ home, who }) => holders[home]?.(who) ?? HOMES[home].about;

export const span = ({ low, high }) => (low === high ? count(low) : `${count(low)} – ${count(high)}`);

/** What a cell shows of its numbers; a single one has room for four digits. */
export function shown(cell) {
  if (cell.home === "max") return `Max ${count(cell.low)}`;
  const { low, high } = cell;
  return low < high ? span(cell) : low < 10_000 ? String(low) : `…${String(low).slice(-3)}`;
}

/** The rest of a sentence that begins with a cell's numbers. */
export function rest(cell) {
  if (cell.home === "max") return " on the server: what is above it is leased next.";
  if (cell.home === "older") return ": older numbers, in the table below";
  return `: ${HOMES[cell.home].name.toLowerCase()}, ${holderOf(cell)}`;
}
