// The card of the orders: a form that saves one through a session, and the list that the server has.

import { at, busy, element, write } from "./dom.js";
import { isOutage } from "./server.js";

const LISTED = 10;

const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export class Orders {
  #client;
  #problem;
  #saved;
  #draft;
  #saving = false;
  #known;

  /** `saved(id)` is called after a save. */
  constructor(client, problem, saved) {
    this.#client = client;
    this.#problem = problem;
    this.#saved = saved;
    at("order").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit(event.target);
    });
  }

  async #submit(form) {
    const { customer, amount } = form.elements;
    const value = Number(amount.value.trim().replace(",", "."));
    const wrong = [
      [customer, customer.value.trim() === "", "Please name a customer."],
      [
        amount,
        amount.value.trim() === "" || !Number.isFinite(value),
        "The amount is a number, such as 42.50.",
      ],
    ];
    for (const [input, is] of wrong) input.setAttribute("aria-invalid", String(is));
    const first = wrong.find(([, is]) => is);
    write(at("order-hint"), first?.[2] ?? "");
    if (first) first[0].focus();
    else if (!this.#saving) await this.#save(form, customer.value.trim(), value);
  }

  async #save(form, customer, amount) {
    this.#saving = true;
    busy(at("create"), true);
    // After an outage the same draft goes again under the same id: so no second order.
    this.#draft ??= this.#client.draft();
    try {
      const id = await this.#draft.save(customer, amount);
      this.#draft = undefined;
      form.reset();
      form.elements.customer.focus();
      write(at("order-hint"), `Saved as ${id}, in one request.`);
      await this.#saved(id);
    } catch (error) {
      this.#problem.show(error);
      const { id } = this.#draft.order;
      if (isOutage(error))
        write(at("order-hint"), `Not saved yet${id ? `; ${id} is kept for it` : ""}. Please try again.`);
      else this.#draft = undefined;
    } finally {
      this.#saving = false;
      busy(at("create"), false);
    }
  }

  draw(orders) {
    at("orders").hidden = orders.length === 0;
    at("no-orders").hidden = orders.length > 0;
    const listed = orders.slice(0, LISTED);
    const ids = new Set(listed.map((order) => order["@metadata"]["@id"]));
    at("orders").tBodies[0].replaceChildren(...listed.map((order) => this.#row(order)));
    this.#known = ids;
  }

  #row(order) {
    const id = order["@metadata"]["@id"];
    const row = element("tr", this.#known && !this.#known.has(id) ? "new" : "");
    const head = element("th", "id", id);
    head.scope = "row";
    row.append(
      head,
      element("td", "", order.customer ?? ""),
      element("td", "number", Number.isFinite(order.amount) ? money.format(order.amount) : ""),
    );
    return row;
  }
}
