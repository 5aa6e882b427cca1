// Makes the query string of a request.

import { fail } from "../common/error.js";

/** A value, encoded for an address. */
export function encoded(value: unknown): string {
  try {
    return encodeURIComponent(value as string);
  } catch (cause) {
    fail("InvalidArgument", `a lone surrogate cannot be sent: ${JSON.stringify(value)}`, { cause });
  }
}

export type Parameter = readonly [name: string, ...value: unknown[]];

/** The query string of parameters, without those that have no value. */
export function query(parameters: readonly Parameter[]): string {
  return parameters
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join("&");
}
