// Requests about indexes: routes, and checks of names.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { CommandRequest } from "../operations/operation-types.js";
import { type Parameter, query } from "../wire/query-string.js";

/** The name of an index; throws if it is blank. */
export function named(name: unknown): string {
  if (!isText(name)) fail("InvalidArgument", "the operation needs the name of an index");
  return name;
}

export const route = (path: string, parameters: Parameter[]): string =>
  [path, query(parameters)].filter(Boolean).join("?");

/** A request that may be sent again if its response is lost, because it is idempotent. */
export const again = (method: string, path: string, body?: unknown): CommandRequest => ({
  method,
  route: path,
  body,
  safe: true,
});

export const names = (indexNames: string[] | null | undefined): Parameter[] =>
  (indexNames ?? []).map((name) => ["name", name]);
