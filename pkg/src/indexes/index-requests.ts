// What requests about indexes have in common.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { CommandRequest } from "../operations/command.js";
import { query } from "../wire/query-string.js";

type Parameter = readonly [name: string, value: unknown];

/** The name of an index, which has to be there. */
export function named(name: unknown): string {
  if (!isText(name)) fail("InvalidArgument", "the operation needs the name of an index");
  return name;
}

/** A route with its parameters. */
export const route = (path: string, parameters: Parameter[]): string =>
  [path, query(parameters)].filter(Boolean).join("?");

/** A request that may be sent again when its response is lost: it says what is to be, not what is to change. */
export const again = (method: string, path: string, body?: unknown): CommandRequest => ({
  method,
  route: path,
  body,
  safe: true,
});

/** Each name as a parameter. */
export const names = (indexNames: string[] | null | undefined): Parameter[] =>
  (indexNames ?? []).map((name) => ["name", name]);
