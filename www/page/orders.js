// The orders: the pending ones of this tab, and those on the server.

import { at, count, element } from "./dom.js";

const LISTED = 8;

const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export class Orders {
  #known;
  #saved = [];
  #drawn = "";

  /** The orders on the server. */
  set saved(orders) {
    this.#saved = orders;
  }

  draw(waiting) {
    const rows = [
      ...waiting.map((order) => [order.id, order, true]).reverse(),
      ...this.#saved.map((order) => [order["@metadata"]["@id"], order, false]),
    ];
    const listed = rows.slice(0, LISTED);
    const text = JSON.stringify([listed, rows.length]);
    if (text === this.#drawn) return;
    this.#drawn = text;
    at("orders").hidden = listed.length === 0;
    at("no-orders").hidden = listed.length > 0;
    at("orders").tBodies[0].replaceChildren(...listed.map((row) => this.#row(...row)));
    at("more-orders").textContent =
      waiting.length > LISTED ? `${count(waiting.length)} orders wait to be saved.` : "";
    this.#known = new Set(listed.map(([id]) => id));
  }

  #row(id, order, waits) {
    const row = element("tr", this.#known && !this.#known.has(id) ? "new" : "");
    const head = element("th", "id", id);
    head.scope = "row";
    row.append(
      head,
      element("td", "", order.customer ?? ""),
      element("td", "number", Number.isFinite(order.amount) ? money.format(order.amount) : ""),
      element("td", waits ? "waits" : "saved", waits ? "waits" : "saved"),
    );
    return row;
  }
}
