// What npm `ravendb`'s queries have and these do not: a call says so, and what to use instead. Only the entry of Node has
// it, where programs come from: elsewhere a call is a `TypeError`, and the compiler says the same as here.

import { fail } from "../error.js";

const ABSENT =
  "aggregateBy aggregateUsing executeAggregation filter highlight includeExplanations moreLikeThis orderByDistance " +
  "orderByDistanceDescending randomOrdering relatesToShape selectTimeSeries shardContext spatial suggestUsing vectorSearch withTag " +
  "withinRadiusOf";

/** Gives these members to a class of queries. */
export function refuseAbsent(Query) {
  for (const name of ABSENT.split(" ")) {
    Query.prototype[name] ??= () =>
      fail("Unsupported", `raven-edge has no ${name}: say it in RQL, with session.advanced.rawQuery(text)`);
  }
}
