// <outbox-panel>: what waits on this device, what the server refused, and what the user must decide.
import "./conflict-form.js";
import { button, element, Part } from "./element.js";

class OutboxPanel extends Part {
  connectedCallback() {
    for (const event of ["offline", "conflict"]) this.stops.push(this.store.on(event, () => this.#render()));
    this.#render();
  }

  async #render() {
    const queue = this.store.offline;
    const [changes, conflicts] = await Promise.all([queue.changes(), queue.conflicts()]);
    const others = changes.filter(({ state }) => state !== "conflict");
    const titles = await Promise.all(others.map(({ documents: [id] }) => this.#titleOf(id)));
    const { paused } = queue.status();
    // A form in which the user is deciding stays as it is.
    const forms = new Map(
      [...this.querySelectorAll("conflict-form")].map((form) => [form.conflict.change.id, form]),
    );
    this.replaceChildren(
      element("h1", {}, "Outbox"),
      element(
        "p",
        { className: "row" },
        button("Send now", () => queue.flush({ timeout: 5_000 })),
        button(paused ? "Resume" : "Pause", async () => {
          await (paused ? queue.resume() : queue.pause());
          await this.#render();
        }),
      ),
      ...conflicts.map((conflict) => forms.get(conflict.change.id) ?? element("conflict-form", { conflict })),
      changes.length === 0
        ? element("p", { className: "quiet" }, "Everything is saved.")
        : element(
            "ul",
            { className: "list" },
            others.map((change, at) => this.#row(change, titles[at])),
          ),
    );
  }

  /** What the user calls a document; its id if it is not on the device. */
  async #titleOf(id) {
    const session = this.store.openSession({ offline: "only", noTracking: true });
    const document = await session.load(id).catch(() => undefined);
    return document?.place ?? document?.name ?? id;
  }

  #row(change, title) {
    const { state, queuedAt, error } = change;
    const discard = async () => {
      if (confirm(`Give up this change of ${title}?`)) await this.store.offline.discard(change);
    };
    return element(
      "li",
      {},
      element("strong", {}, title),
      element("span", { className: "quiet" }, `${state} since ${queuedAt.toLocaleTimeString()}`),
      error && element("p", { className: "problem" }, error.message),
      element(
        "p",
        { className: "row" },
        (state === "refused" || state === "unknown") &&
          button("Retry", () => this.store.offline.retry(change)),
        button("Discard", discard),
      ),
    );
  }
}

customElements.define("outbox-panel", OutboxPanel);
