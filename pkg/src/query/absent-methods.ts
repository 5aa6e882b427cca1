// Methods of npm `ravendb`'s queries that raven-edge does not have: a call fails with an error that names the alternative. Only
// the entries of Node have them, because programs for npm `ravendb` run there. Elsewhere a call is a `TypeError`, and the types
// report it.

import { fail } from "../common/error.js";

const ABSENT = "randomOrdering shardContext";

/** Adds these methods to a class of queries. */
export function refuseAbsent(Query: { prototype: object }): void {
  for (const name of ABSENT.split(" ")) {
    (Query.prototype as Record<string, unknown>)[name] ??= () =>
      fail("Unsupported", `raven-edge has no ${name}: write RQL in session.advanced.rawQuery(text)`);
  }
}
