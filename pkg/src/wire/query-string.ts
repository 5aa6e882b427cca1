// Makes the query string of a request.

import { fail } from "../common/error.js";

/** A value, encoded for an address. */
export function encoded(value: unknown): string {
  try {
    return encodeURIComponent(value as string);
  } catch {
    fail("InvalidArgument", `a lone surrogate cannot be sent: ${JSON.stringify(value)}`);
  }
}

/** The query string of parameters `[name, value]`, without those that have no value. */
export function query(parameters: (readonly [name: string, value: unknown])[]): string {
  return parameters
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join("&");
}
