// The warning about classes whose names look as if a minifier had made them: collections and indexes are called after classes.

import { warnOnce } from "./error.js";

/** A class of entities: its name is short, or does not begin with a capital letter. */
const ENTITY = /^(.{0,3}|[^A-Z].*)$/s;

/** A class of an index: its name is short. */
const INDEX = /^.{0,3}$/s;

interface NamedClass {
  readonly name: string;
}

/** Warns once about each class. `checked`: classes that need no warning any more. `text`: with `%` for the name. */
function warn(checked: Set<unknown>, type: NamedClass, minified: RegExp, text: string): void {
  if (minified.test(type.name))
    warnOnce(
      checked,
      text.replace("%", () => type.name),
      type,
    );
}

/** The same for a class of entities, which names a collection. */
export function warnOfEntityName(checked: Set<unknown>, type: NamedClass): void {
  warn(
    checked,
    type,
    ENTITY,
    'a minifier may have named the class "%"; say its name: conventions.registerEntityType(Order, "Order")',
  );
}

/** The same for the class of an index, which names it. */
export function warnOfIndexName(checked: Set<unknown>, type: NamedClass): void {
  warn(
    checked,
    type,
    INDEX,
    'an index is called "%" after its class, a name that a minifier may have made; ' +
      'say its name: getIndexName() { return "Orders/ByTotal"; }',
  );
}
