// Time series, which are loaded when they are first used.

import type { EntityConstructor } from "../documents/entity-types.js";
import { put } from "../documents/snapshots/put-member.js";
import type { ResponseBody } from "../loading/request-documents.js";
import type { SessionState } from "../session/session-state.js";
import { type RawSeriesResult, SELECTED, seriesResult } from "./entries/results.js";
import { numberSeries, rollupSeries, typedSeries } from "./session/session-time-series.js";
import { assertKind, nameOfClass } from "./store-time-series.js";

export { include, parameters, rql } from "./session/included-series.js";
export { applyResult, send } from "./session/series-commands.js";
export { ofStore } from "./store-time-series.js";

/** The methods of sessions. */
type Method = "timeSeriesFor" | "timeSeriesRollupFor" | "incrementalTimeSeriesFor";

/** The time series of a document; `given`: the arguments of the method after the document. */
export function of(
  state: SessionState,
  method: Method,
  target: string | object,
  ...given: [first: unknown, second?: unknown, third?: unknown]
): object {
  const [policy] = given;
  const isRollup = method === "timeSeriesRollupFor";
  const [first, second] = isRollup ? given.slice(1) : given;
  const type = (second ?? (typeof first === "function" ? first : undefined)) as EntityConstructor | undefined;
  const isIncremental = method === "incrementalTimeSeriesFor";
  if (!type && !isRollup) {
    if (isIncremental) assertKind(first as string, isIncremental);
    return numberSeries(state, target, first as string);
  }
  const named = second ? (first as string | null | undefined) : undefined;
  const name = named ?? nameOfClass(state.conventions, type as EntityConstructor);
  if (isRollup) return rollupSeries(type as EntityConstructor, state, target, `${name}@${policy}`);
  assertKind(name, isIncremental);
  return typedSeries(type as EntityConstructor, state, target, name);
}

/** Makes the values of projections that are time series. */
export function results({ Results, TimeSeriesFields }: ResponseBody): void {
  for (const name of (TimeSeriesFields ?? []) as string[])
    for (const document of name === SELECTED ? [] : Results) {
      const raw = document[name] as RawSeriesResult | null | undefined;
      if (raw) put(document, name, seriesResult(raw));
    }
}
