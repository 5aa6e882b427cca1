// The lease map: one stop for the Tab key, arrow keys within, and below it what the chosen cell is, in words.

import { cells } from "./cells.js";
import { at, count, element, write } from "./dom.js";
import { HOMES } from "./homes.js";
import { Moves } from "./moves.js";
import { sentence, span } from "./words.js";

const ROWS = 12;

const markOf = ({ home, who }) => HOMES[home]?.mark ?? (who || "·");

export class LeaseMap {
  #root = at("map");
  #moves;
  #runs = [];
  #max = 0;

  constructor() {
    this.#moves = new Moves(this.#root, (option) => this.#tell(option));
    new ResizeObserver(() => this.#render()).observe(this.#root);
  }

  draw(runs, max) {
    this.#runs = runs;
    this.#max = max;
    this.#render();
  }

  #render() {
    const columns = getComputedStyle(this.#root).gridTemplateColumns.split(" ").length;
    const shown = cells(this.#runs, this.#max, columns * ROWS);
    at("no-map").hidden = shown.length > 0;
    this.#root.hidden = shown.length === 0;
    while (this.#root.children.length > shown.length) this.#root.lastChild.remove();
    while (this.#root.children.length < shown.length) this.#root.append(this.#make());
    for (const [index, cell] of shown.entries()) this.#paint(index, cell, columns);
    this.#moves.keep();
  }

  #make() {
    const option = element("div", "cell");
    option.setAttribute("role", "option");
    option.append(element("span", "number"), element("span", "mark"));
    return option;
  }

  /** Touches nothing of a cell that is as it was. */
  #paint(index, cell, columns) {
    const option = this.#root.children[index];
    // Behind the line of Max, numbers go on in their columns.
    const column = this.#place(index, cell, columns);
    const text = JSON.stringify([cell, column]);
    if (option.dataset.drawn === text) return;
    const long = cell.high > cell.low;
    Object.assign(option.dataset, { drawn: text, home: cell.home, number: cell.low, who: cell.who });
    option.classList.toggle("long", long);
    option.style.gridColumnStart = column;
    option.setAttribute("aria-label", sentence(cell));
    const [number, mark] = option.children;
    write(number, cell.home === "max" ? `Max ${count(cell.low)}` : long ? span(cell) : this.#short(cell.low));
    write(mark, long ? `${count(cell.high - cell.low + 1)} × ${markOf(cell)}` : markOf(cell));
  }

  #place(index, { low, high, home }, columns) {
    const before = this.#root.children[index - 1]?.dataset.home;
    return before === "max" && low === high && home !== "max" ? String(((low - 1) % columns) + 1) : "";
  }

  /** A cell has room for four digits. */
  #short(number) {
    return number < 10_000 ? String(number) : `…${String(number).slice(-3)}`;
  }

  #tell(option) {
    write(at("chosen"), option.getAttribute("aria-label"));
  }
}
