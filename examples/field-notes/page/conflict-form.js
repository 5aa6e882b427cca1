// <conflict-form>: both sides of a conflict, side by side. The user takes one side of each member that differs.
import { button, element, form } from "./element.js";

const show = (value) =>
  value === undefined ? "—" : typeof value === "string" ? value : JSON.stringify(value);

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** What both sides have made of a document: `merged` has what only one of them has changed, `asked` are the members of both. */
function compare({ base, mine, theirs }) {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  names.delete("@metadata");
  const differ = [...names].filter((name) => !same(mine[name], theirs[name]));
  const asked = differ.filter(
    (name) => !base || !(same(base[name], mine[name]) || same(base[name], theirs[name])),
  );
  const merged = { ...theirs };
  for (const name of differ)
    if (!asked.includes(name) && same(base[name], theirs[name])) merged[name] = mine[name];
  return { merged, asked };
}

class ConflictForm extends HTMLElement {
  connectedCallback() {
    // The outbox puts a form that it keeps in place again: what the user has chosen stays.
    if (this.firstChild) return;
    // A change of this app has one document.
    const [document] = this.conflict.documents;
    const { id, mine, theirs } = document;
    const { resolve } = this.conflict;
    const title = element("h2", {}, `Two versions of ${mine?.place ?? theirs?.place ?? id}`);
    if (!mine || !theirs) {
      const where = mine
        ? "It was deleted elsewhere, and changed here."
        : "It was changed elsewhere, and deleted here.";
      const buttons = [
        button(mine ? "Keep mine" : "Delete it", () => resolve("mine")),
        button(mine ? "Delete it" : "Keep theirs", () => resolve("theirs")),
      ];
      this.replaceChildren(
        element("section", { className: "card" }, title, where, element("p", { className: "row" }, buttons)),
      );
      return;
    }
    const { merged, asked } = compare(document);
    const save = (source) => {
      for (const name of asked) merged[name] = (source.elements[name].value === "mine" ? mine : theirs)[name];
      return resolve([merged]);
    };
    this.replaceChildren(
      form(
        save,
        { className: "card" },
        title,
        asked.map((name) =>
          element(
            "fieldset",
            {},
            element("legend", {}, name),
            this.#side(name, "mine", "On this device", mine[name]),
            this.#side(name, "theirs", "Elsewhere", theirs[name]),
          ),
        ),
        element("button", { className: "primary" }, "Save this"),
      ),
    );
  }

  #side(name, value, label, shown) {
    const choice = element("input", { type: "radio", name, value, checked: value === "mine" });
    return element(
      "label",
      { className: "side" },
      element("span", { className: "quiet" }, choice, label),
      show(shown),
    );
  }
}

customElements.define("conflict-form", ConflictForm);
