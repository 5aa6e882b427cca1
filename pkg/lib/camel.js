// What the server says, with members in the case of JavaScript, as npm `ravendb` gives them.

export function camel(value) {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name[0].toLowerCase() + name.slice(1), camel(inner)]),
  );
}
