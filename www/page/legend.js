// Next to the map: the meaning and count of each kind of cell, who holds which numbers, and everything as a table.

import { at, count, element, write } from "./dom.js";
import { HOMES } from "./homes.js";
import { size, words } from "./ranges.js";
import { holderOf, span } from "./words.js";

/** Maximum number of rows in the table. */
const LISTED = 200;

const sizeOf = (runs) => runs.reduce((sum, { low, high }) => sum + high - low + 1, 0);

export class Legend {
  #counts = new Map();
  #drawn = "";

  constructor(letter) {
    for (const [home, { name, mark, about }] of Object.entries(HOMES)) {
      const cell = element("i", "cell mine", mark ?? letter);
      cell.dataset.home = home;
      cell.setAttribute("aria-hidden", "true");
      const number = element("b", "count", "0");
      const text = element("span", "", name);
      text.append(element("small", "", about));
      const item = element("li");
      item.dataset.home = home;
      item.append(cell, number, text);
      at("legend").append(item);
      this.#counts.set(home, number);
    }
    at("as-table").addEventListener("toggle", () => this.#list());
  }

  #runs = [];

  draw({ runs, max, parked, tabs, letter }) {
    const text = JSON.stringify([runs, max, parked, tabs]);
    if (text === this.#drawn) return;
    this.#drawn = text;
    this.#runs = runs;
    for (const [home, number] of this.#counts) {
      const is = sizeOf(runs.filter((run) => run.home === home));
      write(number, count(is));
      number.parentElement.classList.toggle("none", is === 0);
    }
    const holders = tabs.map(({ letter: of, held }) => [
      `Tab ${of}${of === letter ? ", this one" : ""}`,
      size(held) ? `${count(size(held))} at hand: ${words(held)}` : "nothing in memory",
    ]);
    holders.push(["This device", parked ? `${count(parked)} parked` : "nothing parked"]);
    holders.push(["The server", max ? `Max is ${count(max)}` : "nothing leased yet"]);
    at("holders").replaceChildren(
      ...holders.flatMap(([who, has]) => [element("dt", "", who), element("dd", "", has)]),
    );
    this.#list();
  }

  #list() {
    if (!at("as-table").open) return;
    const rows = this.#runs.slice(-LISTED).map((run) => {
      const row = element("tr");
      const head = element("th", "", span(run));
      head.scope = "row";
      row.append(
        head,
        element("td", "number", count(run.high - run.low + 1)),
        element("td", "", HOMES[run.home].name),
        element("td", "", holderOf(run)),
      );
      return row;
    });
    at("ranges").tBodies[0].replaceChildren(...rows);
  }
}
