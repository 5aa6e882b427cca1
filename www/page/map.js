// The lease map: one stop for the Tab key, arrow keys inside, and a description of the selected cell below.

import { cells } from "./cells.js";
import { at, count, element, write } from "./dom.js";
import { HOMES } from "./homes.js";
import { Moves } from "./moves.js";
import { rest, shown } from "./words.js";

const ROWS = 12;

const markOf = ({ home, who }) => HOMES[home]?.mark ?? (who || "·");

export class LeaseMap {
  #root = at("map");
  #letter;
  #moves;
  #runs = [];
  #max = 0;
  #cells = [];

  constructor(letter) {
    this.#letter = letter;
    this.#moves = new Moves(this.#root, (index) => this.#tell(index));
    new ResizeObserver(() => this.#render()).observe(this.#root);
  }

  draw(runs, max) {
    this.#runs = runs;
    this.#max = max;
    this.#render();
  }

  #render() {
    const columns = getComputedStyle(this.#root).gridTemplateColumns.split(" ").length;
    this.#cells = cells(this.#runs, this.#max, columns * ROWS);
    const { length } = this.#cells;
    at("no-map").hidden = length > 0;
    this.#root.hidden = length === 0;
    while (this.#root.children.length > length) this.#root.lastChild.remove();
    while (this.#root.children.length < length) this.#root.append(this.#make());
    for (const [index, cell] of this.#cells.entries())
      this.#paint(this.#root.children[index], cell, index, columns);
    this.#moves.keep();
  }

  #make() {
    const option = element("div", "cell");
    option.setAttribute("role", "option");
    const [number, mark, more] = ["number", "mark", "unseen"].map((name) => element("span", name));
    mark.setAttribute("aria-hidden", "true");
    option.append(number, mark, more);
    return option;
  }

  /** Updates a cell; does not touch what has not changed. */
  #paint(option, cell, index, columns) {
    const column = this.#place(cell, index, columns);
    const { low, high, home, who } = cell;
    const text = JSON.stringify([low, high, home, who, column]);
    if (option.dataset.drawn === text) return;
    Object.assign(option.dataset, { drawn: text, low, high, home, who });
    option.classList.toggle("long", high > low);
    option.classList.toggle("mine", who === this.#letter);
    option.style.gridColumnStart = column;
    const [number, mark, more] = option.children;
    write(number, shown(cell));
    write(mark, high > low ? `${count(high - low + 1)} × ${markOf(cell)}` : markOf(cell));
    write(more, rest(cell));
  }

  /** Keeps the columns of the numbers after the cell of Max. */
  #place({ low, high, home }, index, columns) {
    const behind = this.#cells[index - 1]?.home === "max";
    return behind && low === high && home !== "max" ? String(((low - 1) % columns) + 1) : "";
  }

  #tell(index) {
    const cell = this.#cells[index];
    write(at("chosen"), shown(cell) + rest(cell));
  }
}
