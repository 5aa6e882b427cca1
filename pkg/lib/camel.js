// What the server says, with members in the case of JavaScript, as npm `ravendb` gives them.

import { isObject } from "./given.js";

export const lower = (name) => name[0].toLowerCase() + name.slice(1);

/** As the server says it. */
export const upper = (name) => name[0].toUpperCase() + name.slice(1);

export function camel(value) {
  if (Array.isArray(value)) return value.map(camel);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [lower(name), camel(inner)]));
}
