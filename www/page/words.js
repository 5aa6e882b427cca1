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

/** A cell in one line. */
export function sentence(cell) {
  if (cell.home === "max") return `Max on the server: ${count(cell.low)}. What is above it, it leases next.`;
  if (cell.home === "older") return `${span(cell)}: older numbers, in the table below`;
  return `${span(cell)}: ${HOMES[cell.home].name.toLowerCase()}, ${holderOf(cell)}`;
}
