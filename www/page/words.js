// The texts of cells, runs and tabs.

import { count } from "./dom.js";
import { HOMES } from "./homes.js";

const holders = {
  hand: (who) => `in the memory of tab ${who}`,
  issued: (who) => (who ? `by tab ${who}` : "elsewhere, or before this map began"),
  parked: () => "on this device, for all tabs",
};

/** Who holds or held these numbers; otherwise what their home means. */
export const holderOf = ({ home, who }) => holders[home]?.(who) ?? HOMES[home].about;

export const span = ({ low, high }) => (low === high ? count(low) : `${count(low)} – ${count(high)}`);

/** The text in a cell. A cell of a single number has room for four digits. */
export function shown(cell) {
  if (cell.home === "max") return `Max ${count(cell.low)}`;
  const { low, high } = cell;
  return low < high ? span(cell) : low < 10_000 ? String(low) : `…${String(low).slice(-3)}`;
}

/** The end of a sentence that begins with a cell's numbers. */
export function rest(cell) {
  if (cell.home === "max") return " on the server: what is above it is leased next.";
  if (cell.home === "older") return ": older numbers, in the table below";
  return `: ${HOMES[cell.home].name.toLowerCase()}, ${holderOf(cell)}`;
}
