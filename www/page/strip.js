// The range as a strip of cells, one for each number; in a large range a cell stands for several.

import { element } from "./dom.js";

const MOST_CELLS = 128;

const words = ({ low, high, nodeTag, last }) => {
  const issued = Math.max(0, last - low + 1);
  return `Numbers ${low} to ${high} of node ${nodeTag}: ${issued} issued, ${high - low + 1 - issued} at hand.`;
};

export class Strip {
  #root;
  #drawn = "";
  #each = 1;

  constructor(root) {
    this.#root = root;
  }

  /** Draws the range `low..=high`, issued up to `last`, and tells how many numbers a cell stands for. */
  draw({ low, high, nodeTag, last }) {
    const empty = low === undefined;
    const range = empty ? "" : `${low}-${high}`;
    if (range !== this.#drawn || empty) this.#rebuild(low, high, empty);
    this.#drawn = range;
    this.#root.setAttribute(
      "aria-label",
      empty ? "No range is leased." : words({ low, high, nodeTag, last }),
    );
    if (empty) return this.#each;
    const latest = Math.floor((last - low) / this.#each);
    [...this.#root.children].forEach((cell, index) => {
      cell.classList.toggle("issued", index <= latest);
      cell.classList.toggle("latest", index === latest);
    });
    return this.#each;
  }

  #rebuild(low, high, empty) {
    this.#root.classList.toggle("empty", empty);
    // The outline of what will come keeps the page from jumping.
    const size = empty ? 32 : high - low + 1;
    this.#each = Math.ceil(size / MOST_CELLS);
    const numbered = !empty && this.#each === 1 && high < 1000;
    const cells = Array.from({ length: Math.ceil(size / this.#each) }, (_, index) =>
      element("i", "cell", numbered ? String(low + index) : ""),
    );
    this.#root.replaceChildren(...cells);
  }
}
