// <visit-list>: all visits of the user, with and without a connection, and a form for a new one.
import { element, form, Part } from "./element.js";

class VisitList extends Part {
  /** Counts what was begun to be shown. */
  #turn = 0;

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
    const set = this.store.offline.set("visits");
    const show = () => this.#show(list, set);
    for (const event of ["change", "synced", "error"]) {
      set.on(event, show);
      this.stops.push(() => set.off(event, show));
    }
    show();
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

  async #show(list, set) {
    const turn = ++this.#turn;
    const visits = await set.documents().catch(() => []);
    // A later event has begun to show more.
    if (turn !== this.#turn) return;
    const rows = visits.sort((a, b) => b.at.localeCompare(a.at)).map((visit) => this.#row(visit));
    if (rows.length === 0) {
      const none = set.syncedAt ? "No visits yet." : (set.error?.message ?? "Loading …");
      rows.push(element("li", { className: "quiet" }, none));
    }
    list.replaceChildren(...rows);
  }

  #row({ place, at, done, "@metadata": metadata }) {
    const date = new Date(at).toLocaleDateString();
    const note = metadata["@change-vector"].startsWith("queued:") && "waits on this device";
    const state = [date, done && "done", note].filter(Boolean).join(" · ");
    const link = element(
      "a",
      { href: `#/${metadata["@id"]}` },
      element("strong", {}, place),
      element("span", { className: "quiet" }, state),
    );
    return element("li", {}, link);
  }
}

customElements.define("visit-list", VisitList);
