// <stock-list>: numbers that several people change. A change says "two fewer", not "now five", so changes never conflict.
import { button, element, form, Part } from "./element.js";

class StockList extends Part {
  connectedCallback() {
    const name = element("input", { name: "item", required: true, maxLength: 100 });
    const amount = element("input", {
      name: "amount",
      type: "number",
      min: 0,
      max: 1000,
      value: 10,
      required: true,
    });
    const body = element("tbody");
    const table = element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ["Item", "Amount", "Change"].map((text) => element("th", { scope: "col" }, text)),
        ),
      ),
      body,
    );
    const create = form(
      async () => {
        await this.#create(name.value, amount.valueAsNumber);
        name.value = "";
      },
      { className: "row" },
      element("label", {}, "New item", name),
      element("label", {}, "Amount", amount),
      element("button", { className: "primary" }, "Add"),
    );
    this.replaceChildren(element("h1", {}, "Stock"), create, table);
    this.stops.push(
      this.store.watch(
        (session) => session.query({ named: "stock" }),
        (items = [], { pending = [] }) => {
          const created = pending.filter((document) => document["@metadata"]["@collection"] === "Items");
          const known = [...items, ...created.map((item) => ({ ...item, id: item["@metadata"]["@id"] }))];
          body.replaceChildren(...known.map((item) => this.#row(item)));
          this.#showWaiting();
        },
        { collections: ["Items"] },
      ),
      this.store.on("offline", () => this.#showWaiting()),
    );
  }

  async #create(name, amount) {
    const session = this.store.openSession();
    await session.store({ name, amount, "@metadata": { "@collection": "Items" } });
    await session.queueChanges();
  }

  async #take(id, count) {
    const session = this.store.openSession();
    session.advanced.patch(id, { named: "take", parameters: { count } });
    await session.queueChanges();
  }

  #row({ id, name, amount }) {
    const cells = [
      element("th", { scope: "row" }, name),
      element("td", {}, `${amount}`, element("span", { className: "quiet" })),
      element(
        "td",
        {},
        button("−1", () => this.#take(id, 1), { ariaLabel: `−1 ${name}` }),
        button("+1", () => this.#take(id, -1), { ariaLabel: `+1 ${name}` }),
      ),
    ];
    const row = element("tr", {}, cells);
    row.dataset.id = id;
    return row;
  }

  /** The server runs the patches: until then the amounts are the old ones. */
  async #showWaiting() {
    const waiting = (await this.store.offline.changes()).flatMap(({ documents }) => documents);
    for (const row of this.querySelectorAll("tr[data-id]")) {
      const count = waiting.filter((id) => id === row.dataset.id).length;
      row.querySelector("span").textContent = count
        ? ` (${count} ${count === 1 ? "change" : "changes"} waiting)`
        : "";
    }
  }
}

customElements.define("stock-list", StockList);
