// Entries of time series that come with documents: `includeTimeSeries` and `includeAllTimeSeries` of loads and queries.

import type { AskedIncludes, RqlWriter } from "../../capabilities/session-part.js";
import { type IncludeCall, isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import { isValidDate } from "../../common/value-kinds.js";
import { utcText } from "../../documents/mapping/date-format.js";
import type { ResponseBody } from "../../loading/request-documents.js";
import { quoted } from "../../rql/names-and-parameters.js";
import type { SessionState } from "../../session/session-state.js";
import type { Parameter } from "../../wire/query-string.js";
import { type RawRange, rangeOf } from "../entries/results.js";
import { type Time, TimeValue } from "../entries/times.js";
import { keepRange } from "./read-entries.js";

/** What is included of one time series. */
interface Included {
  /** The path to the id of the document, if it is another one. */
  path?: string | undefined;
  name: string;
  /** A range of time, or … */
  from?: Time;
  to?: Time;
  /** … the last entries: those of a length of time, or a number of them. */
  last?: TimeValue | number;
}

/** The name that stands for all time series of a document. */
const ALL = "@all_timeseries";

function lastOf(type: unknown, last: unknown): TimeValue | number {
  if (type === "None") fail("InvalidArgument", 'the type of a range is "Last"');
  if (type !== "Last") fail("Unsupported", `there is no range of the type ${String(type)}, only "Last"`);
  const size = last instanceof TimeValue ? last.value : last;
  if (!(Number.isSafeInteger(size) && (size as number) > 0))
    fail("InvalidArgument", "a range of the last entries needs a TimeValue above zero, or their number");
  // A text of the app must not become part of a query.
  if (last instanceof TimeValue && !["Second", "Month"].includes(last.unit))
    fail("InvalidArgument", "the last entries are those of seconds or months");
  return last as TimeValue | number;
}

/** What a call of the builder includes. */
function included([method, ...given]: IncludeCall): Included[] {
  if (method === "includeAllTimeSeries") return [{ name: ALL, last: lastOf(given[0], given[1]) }];
  if (method !== "includeTimeSeries") fail("InvalidArgument", `an include builder has no ${method}`);
  const [first, second, third, fourth] = given;
  const isLast =
    typeof third === "number" || third instanceof TimeValue || ["Last", "None"].includes(second as string);
  if (isLast) return [first].flat().map((name) => ({ name: named(name), last: lastOf(second, third) }));
  const isOther = typeof second === "string";
  const [name, from, to] = isOther ? [second, third, fourth] : [first, second, third];
  for (const time of [from, to])
    if (time != null && !isValidDate(time)) fail("InvalidArgument", "the ends of a range are valid Dates");
  const path = isOther ? named(first) : undefined;
  return [{ path, name: named(name), from: from as Time, to: to as Time }];
}

function named(name: unknown): string {
  if (!name || typeof name !== "string") fail("InvalidArgument", "an included time series needs a name");
  return name;
}

/** What several calls of the builder include. */
function includedBy(calls: readonly IncludeCall[]): Included[] {
  const all = calls.flatMap(included);
  if (all.length > 1 && all.some(({ name }) => name === ALL))
    fail("InvalidArgument", "includeAllTimeSeries includes all time series: it is the only one");
  return all;
}

/** The parameters of a load. */
export function parameters(calls: readonly IncludeCall[]): Parameter[] {
  return includedBy(calls).flatMap(({ path, name, from, to, last }): Parameter[] => {
    if (path) fail("Unsupported", "a load includes time series of its own documents");
    if (typeof last === "number")
      return Object.entries({ timeseriescount: name, countType: "Last", countValue: `${last}` });
    if (last) {
      const { value, unit } = last;
      return Object.entries({
        timeseriestime: name,
        timeType: "Last",
        timeValue: `${value}`,
        timeUnit: unit,
      });
    }
    const ends = { from: from ? utcText(from) : "", to: to ? utcText(to) : "" };
    return Object.entries({ timeseries: name, ...ends });
  });
}

/** As JSON writes a date. */
const DATE = /^([+-]\d\d)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An argument of a query, which was copied as JSON. */
function revived(given: unknown): unknown {
  if (typeof given === "string" && DATE.test(given)) return new Date(given);
  const { value, unit } = (isObject(given) ? given : {}) as Partial<TimeValue>;
  return unit && typeof value === "number" ? new TimeValue(value, unit) : given;
}

/** The items of `include` in a query, as npm `ravendb` writes them: RavenDB does not take all of them as parameters. */
export function rql([method, ...given]: IncludeCall, { path: written }: RqlWriter): string[] {
  return included([method, ...given.map(revived)]).map((each) => item(each, written));
}

/** The items of `include` in the query of a subscription, which includes last entries only. */
export function rqlOfSubscription(calls: readonly IncludeCall[]): string[] {
  return includedBy(calls).map(({ name, last }) => {
    // Without a type, a call means a range of time.
    return item({ name, last: last ?? lastOf(undefined, undefined) }, String);
  });
}

function item({ path, name, from, to, last }: Included, written: (path: string) => string): string {
  const before = `${path ? `${written(path)}, ` : ""}${quoted(name)}, `;
  if (typeof last === "number") return `timeseries(${before}last(${last}))`;
  if (last) return `timeseries(${before}last(${last.value}, '${last.unit}'))`;
  return `timeseries(${before}${from ? `'${utcText(from)}', ` : "null,"}${to ? `'${utcText(to)}'` : "null"})`;
}

/** Caches the entries of a response. */
export function include(state: SessionState, body: ResponseBody, _asked?: AskedIncludes): void {
  const all = body.TimeSeriesIncludes as Record<string, Record<string, RawRange[]>> | null | undefined;
  for (const [id, series] of Object.entries(all ?? {}))
    for (const [name, ranges] of Object.entries(series ?? {}))
      for (const range of ranges ?? []) keepRange(state, idKey(id), name, rangeOf(range));
}
