// Values that were parsed from JSON, of which nothing is certain.

/** An object that was parsed from JSON, before its members are checked. */
export type JsonObject = Record<string, unknown>;

/** The members of a JSON value; none if it is no object. */
export function membersOf(value: unknown): JsonObject {
  return Object(value) as JsonObject;
}

/** The members of a JSON text; none if it is invalid. */
export function parsed(text: string): JsonObject {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The elements of a JSON value; none if it is no array. */
export function elementsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(membersOf) : [];
}

/** The value if it is a text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Reads members that are whole numbers. `JSON.parse` does not tell `1e1` and `10.0` from 10; RavenDB writes neither, so a member of
 * this name that is written in such a way anywhere in the text counts as missing.
 */
export function wholeNumbers(text: string): (members: JsonObject, name: string) => number | undefined {
  const odd = new Set(Array.from(text.matchAll(/"(\w+)"\s*:\s*-?\d+[.eE]/g), ([, name]) => name));
  return (members, name) => {
    const value = members[name];
    const isWhole = Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 64;
    return isWhole && !odd.has(name) ? (value as number) : undefined;
  };
}
