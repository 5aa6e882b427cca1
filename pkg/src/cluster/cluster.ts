// Compare-exchange values in sessions, which are loaded when they are first used.

import type { RqlWriter } from "../capabilities/session-part.js";
import { type IncludeCall, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { quoted } from "../rql/quoted-names.js";
import type { Parameter } from "../wire/query-string.js";

export { lazy, of } from "./cluster-transaction.js";
export { include, show } from "./known-values.js";

function pathOf([, path]: IncludeCall): string {
  if (!isText(path)) fail("InvalidArgument", "includeCompareExchangeValue takes a path");
  return path;
}

export function parameters(calls: readonly IncludeCall[]): Parameter[] {
  return calls.map((call) => ["cmpxchg", pathOf(call)]);
}

export function rql(call: IncludeCall, _: RqlWriter): string[] {
  return [`cmpxchg(${quoted(pathOf(call))})`];
}
