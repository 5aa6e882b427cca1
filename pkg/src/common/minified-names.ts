// The warning about classes whose names look as if a minifier had made them: collections and indexes are called after classes.

/** A class of entities: its name is short, or does not begin with a capital letter. */
const ENTITY = /^(.{0,3}|[^A-Z].*)$/s;

/** A class of an index: its name is short. */
const INDEX = /^.{0,3}$/s;

interface NamedClass {
  readonly name: string;
}

/** Warns once about each class. `checked`: classes that need no warning any more. */
function warn(
  checked: Set<unknown>,
  type: NamedClass,
  minified: RegExp,
  text: (name: string) => string,
): void {
  if (checked.has(type)) return;
  checked.add(type);
  if (minified.test(type.name)) console.warn(`raven-edge: ${text(type.name)}`);
}

/** The same for a class of entities, which names a collection. */
export function warnOfEntityName(checked: Set<unknown>, type: NamedClass): void {
  warn(
    checked,
    type,
    ENTITY,
    (name) =>
      `a minifier may have named the class "${name}"; say its name: conventions.registerEntityType(Order, "Order")`,
  );
}

/** The same for the class of an index, which names it. */
export function warnOfIndexName(checked: Set<unknown>, type: NamedClass): void {
  warn(
    checked,
    type,
    INDEX,
    (name) =>
      `an index is called "${name}" after its class, a name that a minifier may have made; ` +
      'say its name: getIndexName() { return "Orders/ByTotal"; }',
  );
}
