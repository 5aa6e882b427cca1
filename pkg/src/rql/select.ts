// The `select` clause: what a query returns of its documents.

import { type Call, misplaced } from "./call.js";
import { alias, type Names, quoted } from "./names-and-parameters.js";

export class Select {
  #isDistinct = false;
  /** The fields that the app has selected. */
  #fields: string[] = [];
  /** Keys, sums and counts of groups, facets, suggestions. */
  readonly items: string[] = [];
  #names;

  constructor(names: Names) {
    this.#names = names;
  }

  distinct(): void {
    if (this.#isDistinct) misplaced("this is a distinct query already");
    this.#isDistinct = true;
  }

  /** The arguments are pairs: a field, and its name in results; a custom function of the app has no name. */
  selectFields(call: Call): void {
    for (let at = 0; at < call.given.length; at += 2) {
      const field = call.text(at);
      const name = call.optionalText(at + 1);
      this.#fields.push(name ? shown(this.#names.selected(field), name) : field);
    }
  }

  selectKey(call: Call): void {
    this.#group(call, (field) => this.#names.selected(field), "key()", true);
  }

  selectSum(call: Call): void {
    if (!call.optionalText(0)) misplaced("selectSum takes a field");
    this.#group(call, (field) => `sum(${this.#names.path(field)})`);
  }

  selectCount(call: Call): void {
    this.#group(call, (field) => this.#names.selected(field), "count()");
  }

  /** `item` is shown if the call names no field. */
  #group(call: Call, itemOf: (field: string) => string, item = "", isQuoted?: boolean): void {
    const field = call.optionalText(0);
    this.items.push(shown(field ? itemOf(field) : item, call.optionalText(1), isQuoted));
  }

  get text(): string {
    const all = [...this.items, ...this.#fields].join(", ");
    if (this.#isDistinct) return ` select distinct ${all || "*"}`;
    return all && ` select ${all}`;
  }
}

/** An item, with its name in results if that is different. */
function shown(item: string, name: string, isQuoted?: boolean): string {
  if (!name || name === item) return item;
  return `${item} as ${isQuoted || name.startsWith("'") ? quoted(name) : alias(name)}`;
}
