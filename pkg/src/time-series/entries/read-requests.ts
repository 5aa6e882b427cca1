// The requests that read entries of time series, and what is made of their responses.

import { isText } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import { utcText } from "../../documents/mapping/date-format.js";
import { type Parameter, query } from "../../wire/query-string.js";
import type { ITimeSeriesIncludeBuilder, TimeSeriesRange } from "../operations/time-series-types.js";
import { type RawRange, rangeOf, TimeSeriesDetails, type TimeSeriesRangeResult } from "./results.js";
import type { Time } from "./times.js";
import { NameMap } from "./value-names.js";

/** Tells which documents come with the entries. */
export type TimeSeriesIncludes = (includeBuilder: ITimeSeriesIncludeBuilder) => void;

/** Which of the entries that were found are sent. */
export interface TimeSeriesPage {
  start?: number | null | undefined;
  pageSize?: number | null | undefined;
  includes?: TimeSeriesIncludes | null | undefined;
  /** Whether entries have the values of each node. */
  full?: boolean | undefined;
}

const GREATEST = 2 ** 31 - 1;

/** As in npm `ravendb`: collects what is to be included. */
export class TimeSeriesIncludeBuilder implements ITimeSeriesIncludeBuilder {
  includeTimeSeriesTags = false;
  includeTimeSeriesDocument = false;

  includeTags(): this {
    this.includeTimeSeriesTags = true;
    return this;
  }

  includeDocument(): this {
    this.includeTimeSeriesDocument = true;
    return this;
  }
}

export function assertNamed(given: Record<string, unknown>): void {
  for (const [what, value] of Object.entries(given))
    if (!isText(value)) fail("InvalidArgument", `a time series needs a ${what}`);
}

function paging({ start, pageSize, includes, full }: TimeSeriesPage): Parameter[] {
  const included = new TimeSeriesIncludeBuilder();
  includes?.(included);
  return [
    ["start", (start as number) > 0 ? start : undefined],
    ["pageSize", (pageSize as number) < GREATEST ? pageSize : undefined],
    ["includeDocument", included.includeTimeSeriesDocument || undefined],
    ["includeTags", included.includeTimeSeriesTags || undefined],
    ["full", full || undefined],
  ];
}

/** The route of a request for entries of one time series. */
export function oneRoute(docId: string, name: string, from: Time, to: Time, page: TimeSeriesPage): string {
  assertNamed({ "document id": docId, name });
  const named = { docId, name, from: from && utcText(from), to: to && utcText(to) };
  return `timeseries?${query([...Object.entries(named), ...paging(page)])}`;
}

/** The route of a read of several ranges. */
export function severalRoute(docId: string, ranges: TimeSeriesRange[], page: TimeSeriesPage): string {
  assertNamed({ "document id": docId });
  if (!ranges || ranges.length === 0)
    fail("InvalidArgument", "at least one range of a time series is needed");
  const listed = ranges.flatMap(({ name, from, to }): Parameter[] => {
    assertNamed({ name });
    // The server reads them in their order.
    return Object.entries({ name, from: from ? utcText(from) : "", to: to ? utcText(to) : "" });
  });
  return `timeseries/ranges?${query([["docId", docId], ...listed, ...paging(page)])}`;
}

/** What the response has: `undefined`, as in npm `ravendb`, if there is no such time series. */
export function readOne(body: RawRange | "" | null): TimeSeriesRangeResult | undefined {
  return body ? rangeOf(body) : undefined;
}

/** What the response to a read of several ranges has: `undefined` if one of the time series does not exist. */
export function readSeveral(
  body: { Id: string; Values: Record<string, RawRange[]> } | "" | null,
): TimeSeriesDetails | undefined {
  if (!body) return;
  const values = new NameMap<TimeSeriesRangeResult[]>();
  for (const [name, ranges] of Object.entries(body.Values)) values.set(name, ranges.map(rangeOf));
  return Object.assign(new TimeSeriesDetails(), { id: body.Id, values });
}
