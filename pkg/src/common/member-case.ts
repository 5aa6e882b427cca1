// Converts names of members: RavenDB writes `TotalResults`; JavaScript and npm `ravendb` write `totalResults`.

import { isObject } from "./arguments.js";

/** A name as JavaScript writes it. */
export const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** A name as RavenDB writes it. */
export const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** A value of a request with its members, at any depth, as RavenDB writes them. */
export function pascal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pascal);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [upper(name), pascal(inner)]));
}

/** A value of a response with its members, at any depth, as JavaScript writes them. */
export function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [lower(name), camel(inner)]));
}
