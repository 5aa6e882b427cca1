// The warning about classes whose names a minifier seems to have made: collections and indexes are called after classes.

interface NamedClass {
  readonly name: string;
}

/** Whether a minifier may have written a class: it leaves no space beside a brace. */
function isMinified(type: NamedClass): boolean {
  // The name of a descriptor is a text of the app's.
  if (typeof type !== "function") return false;
  if (!type.name) return true;
  const text = Function.prototype.toString.call(type);
  // esbuild notes the names that it keeps: `static{n(this,"Order")}`.
  return !/\s\{|\{\s/.test(text) && !text.includes(`,"${type.name}")`);
}

function warn(type: NamedClass, text: string): void {
  if (isMinified(type)) console.warn(`raven-edge: ${text}`);
}

/** Warns about a class of entities, which names a collection, if a minifier seems to have written it. Its name is short. */
export function warnOfEntityName(type: NamedClass): void {
  warn(
    type,
    `a minifier may have named the class "${type.name}"; say its name: conventions.registerEntityType(Order, "Order")`,
  );
}

/** Classes of indexes whose names need no warning any more. */
const checked = new Set<unknown>();

/** Warns once of the class of an index, which names the index, if its name is short. */
export function warnOfIndexName(type: NamedClass): void {
  const { name } = type;
  if (name.length <= 3 && !checked.has(type))
    warn(
      type,
      `an index is called "${name}" after its class, a name that a minifier may have made; ` +
        'say its name: getIndexName() { return "Orders/ByTotal"; }',
    );
  checked.add(type);
}
