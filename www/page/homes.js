// Computes the home of each number. The sources overlap; they are applied in order of priority.

import { above, minus, top, union, upTo, within } from "./ranges.js";

/** The homes in words; `mark` distinguishes them without colour. */
export const HOMES = {
  issued: { name: "Issued", about: "an id that the app has" },
  hand: { name: "At hand", about: "in a tab's memory" },
  parked: { name: "Parked", mark: "P", about: "on this device, for all tabs" },
  moving: { name: "On its way", mark: "…", about: "between memory, device and server" },
  returned: { name: "Returned", mark: "↩", about: "above Max: leased anew" },
  burnt: { name: "Burnt", mark: "✕", about: "a gap: never issued" },
  elsewhere: { name: "Elsewhere", mark: "·", about: "others leased it, or an earlier life" },
};

/** Numbers that this device received and that no known home contains. */
export function homeless({ max, parked, tabs, issued, got }) {
  const homes = [parked, ...tabs.map(({ held }) => held), ...Object.values(issued)];
  return minus(upTo(got, max), union(...homes));
}

/**
 * All numbers as contiguous runs `{ low, high, home, who }`. `who` is the letter of the tab that issued or holds
 * them; empty if unknown.
 */
export function homesOf({ max, parked, tabs, issued, got, returned, burnt }) {
  const known = union(parked, got, returned, ...tabs.map(({ held }) => held), ...Object.values(issued));
  let left = union(max > 0 ? [[1, max]] : [], known);
  left = left.length > 0 ? [[1, top(left)]] : [];
  const runs = [];
  const lay = (set, home, who = "") => {
    const part = within(left, set);
    left = minus(left, part);
    for (const [low, high] of part) runs.push({ low, high, home, who });
  };
  for (const { letter, held } of tabs) lay(held, "hand", letter);
  lay(parked, "parked");
  for (const [letter, set] of Object.entries(issued)) lay(set, "issued", letter);
  lay(burnt, "burnt");
  lay(upTo(got, max), "moving");
  lay(upTo(left, max), "elsewhere");
  lay(above(left, max), "returned");
  return runs.sort((a, b) => a.low - b.low);
}
