// What a query gives of its documents.

import { misplaced } from "./call.js";
import { alias, Names, quoted } from "./names.js";

export class Select {
  #isDistinct = false;
  /** The fields that the app has chosen. */
  #fields = [];
  /** What is shown of groups. */
  #items = [];
  #names;

  constructor(names) {
    this.#names = names;
  }

  distinct() {
    if (this.#isDistinct) misplaced("this is a distinct query already");
    this.#isDistinct = true;
  }

  /** Pairs: a field, and what results call it; a function of the app's own has no name. */
  selectFields(call) {
    for (let at = 0; at < call.given.length; at += 2) {
      const field = call.text(at);
      const name = call.optionalText(at + 1);
      this.#fields.push(name ? shown(this.#names.name(field), name) : field);
    }
  }

  selectKey(call) {
    this.#group(call, alias, "key()", true);
  }

  selectSum(call) {
    if (!call.optionalText(0)) misplaced("selectSum takes a field");
    this.#group(call, (field) => `sum(${alias(field)})`);
  }

  selectCount(call) {
    this.#group(call, alias, "count()");
  }

  #group(call, itemOf, item, isQuoted) {
    const field = call.optionalText(0);
    this.#items.push(shown(field ? itemOf(field) : item, call.optionalText(1), isQuoted));
  }

  get text() {
    const all = [...this.#items, ...this.#fields].join(", ");
    if (this.#isDistinct) return ` select distinct ${all || "*"}`;
    return all && ` select ${all}`;
  }
}

/** Whether a call chooses a field whose name has to be quoted. */
export function wantsName(call) {
  const names = new Names();
  return (
    call.name === "selectFields" &&
    call.value(1) !== null &&
    call.given.some((name, at) => call.isText(at) && names.name(name).startsWith("'"))
  );
}

/** An item, with the name that results call it by where that is another one. */
function shown(item, name, isQuoted) {
  if (!name || name === item) return item;
  return `${item} as ${isQuoted || name.startsWith("'") ? quoted(name) : alias(name)}`;
}
