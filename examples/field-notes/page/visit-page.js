// <visit-page>: a visit with notes and a photo. It can be edited on several devices, with and without a connection.
import { element, form, Part } from "./element.js";
import "./visit-photo.js";

class VisitPage extends Part {
  /** Has loaded what the form shows: its version decides whether a change meets a conflict. */
  #session;
  #visit;
  /** How often the user has saved: what was asked for before must not replace what was typed. */
  #saves = 0;

  connectedCallback() {
    const place = element("input", { name: "place", required: true, maxLength: 100 });
    const notes = element("textarea", { name: "notes", rows: 6 });
    const done = element("input", { name: "done", type: "checkbox" });
    const photo = element("input", { name: "photo", type: "file", accept: "image/*" });
    const message = element("p", { className: "quiet", role: "status" });
    const edit = form(
      () => this.#save(edit, message),
      { className: "card", oninput: () => (this.dataset.edited = "") },
      element("label", {}, "Place", place),
      element("label", {}, "Notes", notes),
      element("label", { className: "check" }, done, "Done"),
      element("label", {}, "Photo", photo),
      element("button", { className: "primary" }, "Save"),
      message,
    );
    this.replaceChildren(
      element("p", {}, element("a", { href: "#/visits" }, "‹ My visits")),
      element("h1", {}, "Visit"),
      edit,
      element("visit-photo", { store: this.store, visit: this.visit }),
    );
    this.stops.push(this.store.watch(this.visit, (_, { error }) => this.#fill(edit, message, error)));
  }

  /** Shows what the server or this device has now, but does not overwrite what the user is typing. */
  async #fill(edit, message, error) {
    if ("edited" in this.dataset) return;
    const saves = this.#saves;
    const session = this.store.openSession();
    const visit = await session.load(this.visit).catch(() => undefined);
    // The user may have begun meanwhile.
    if ("edited" in this.dataset || saves !== this.#saves) return;
    if (!visit) {
      message.textContent =
        visit === null ? "This visit was deleted." : (error?.message ?? "This visit is not on this device.");
      return;
    }
    this.#session = session;
    this.#visit = visit;
    const { place, notes, done } = edit.elements;
    place.value = visit.place;
    notes.value = visit.notes;
    done.checked = visit.done;
    this.dataset.shown = "";
  }

  async #save(edit, message) {
    const { place, notes, done, photo } = edit.elements;
    Object.assign(this.#visit, { place: place.value, notes: notes.value, done: done.checked });
    const [file] = photo.files;
    if (file) this.#session.advanced.attachments.store(this.#visit, "photo", file, file.type);
    const change = await this.#session.queueChanges();
    photo.value = "";
    this.#saves++;
    delete this.dataset.edited;
    message.textContent = "On this device.";
    // Not awaited: without a connection this may take days. If the change is discarded, the outbox has said so.
    change.saved.then(() => (message.textContent = "Saved.")).catch(() => {});
  }
}

customElements.define("visit-page", VisitPage);
