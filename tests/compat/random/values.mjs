// Values as plans describe them, and as text.

export class MyThing {}
export class MyPart {}
export const KINDS = { Object, MyThing, MyPart };

/** The value that a plan describes. */
export function make(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(make);
  if (value.$date !== undefined) return new Date(value.$date);
  if (value.$undefined) return undefined;
  if (value.$zero) return -0;
  if (value.$set) return new Set(value.$set);
  if (value.$map) return new Map(make(value.$map));
  if (value.$part) return Object.assign(new MyPart(), make(value.$part));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, make(item)]));
}

/** A value as text: members by name, without metadata. Before an object of the list `known` stands its place there, `#0`. */
export function show(value, known = []) {
  const inside = (one) => show(one, known);
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value !== "object") return String(value);
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (Array.isArray(value)) return `[${value.map(inside).join(", ")}]`;
  if (value instanceof Set || value instanceof Map) return `${value.constructor.name}${inside([...value])}`;
  const kind = [MyThing, MyPart].find((type) => value instanceof type)?.name ?? "";
  const names = Object.keys(value).filter((name) => name !== "@metadata" && value[name] !== undefined);
  const members = names.sort().map((name) => `${name}: ${inside(value[name])}`);
  return `${known.includes(value) ? `#${known.indexOf(value)} ` : ""}${kind}{${members.join(", ")}}`;
}
