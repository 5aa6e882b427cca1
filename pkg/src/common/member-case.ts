// Converts names of members: RavenDB writes `TotalResults`; JavaScript and npm `ravendb` write `totalResults`.

import { isObject } from "./arguments.js";

/** A name as JavaScript writes it. */
export const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** A name as RavenDB writes it. */
export const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** A value with its members, at any depth, renamed. */
function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [rename(name), renamed(inner, rename)]),
  );
}

/** A value of a request with its members as RavenDB writes them. */
export const pascal = (value: unknown): unknown => renamed(value, upper);

/** A value of a response with its members as JavaScript writes them. */
export const camel = (value: unknown): unknown => renamed(value, lower);
