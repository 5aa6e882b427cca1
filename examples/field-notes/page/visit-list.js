// <visit-list>: the user's visits, live, and a form for a new one.
import { element, form, Part } from "./element.js";

class VisitList extends Part {
  connectedCallback() {
    const place = element("input", { name: "place", required: true, maxLength: 100 });
    const list = element("ul", { className: "list" });
    const create = form(
      async () => {
        await this.#create(place.value);
        place.value = "";
      },
      { className: "row" },
      element("label", {}, "Place of a new visit", place),
      element("button", { className: "primary" }, "Add"),
    );
    this.replaceChildren(element("h1", {}, "My visits"), create, list);
    this.stops.push(
      this.store.watch(
        (session) => session.query({ named: "visits" }),
        (visits = [], { pending = [], error }) => this.#show(list, visits, pending, error),
        { collections: ["Visits"] },
      ),
    );
  }

  /** The visit has its final id, and is safe on this device, before the server knows of it. */
  async #create(place) {
    const session = this.store.openSession();
    const at = new Date().toISOString();
    await session.store({
      owner: this.user,
      place,
      at,
      notes: "",
      done: false,
      "@metadata": { "@collection": "Visits" },
    });
    await session.queueChanges();
  }

  #show(list, visits, pending, error) {
    // New visits of this device are not among the results before the server's query has them.
    const created = pending.filter((document) => document["@metadata"]["@collection"] === "Visits").reverse();
    const note = (metadata) => metadata["@change-vector"].startsWith("queued:") && "waits on this device";
    const rows = [
      ...created.map((visit) => this.#row(visit["@metadata"]["@id"], visit, note(visit["@metadata"]))),
      ...visits.map((visit) => this.#row(visit.id, visit)),
    ];
    if (rows.length === 0)
      rows.push(element("li", { className: "quiet" }, error ? error.message : "No visits yet."));
    list.replaceChildren(...rows);
  }

  #row(id, { place, at, done }, note) {
    const date = new Date(at).toLocaleDateString();
    const state = [date, done && "done", note].filter(Boolean).join(" · ");
    const link = element(
      "a",
      { href: `#/${id}` },
      element("strong", {}, place),
      element("span", { className: "quiet" }, state),
    );
    return element("li", {}, link);
  }
}

customElements.define("visit-list", VisitList);
