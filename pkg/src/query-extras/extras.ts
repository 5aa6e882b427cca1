// The part of queries that few apps use: facets, suggestions, similar documents, places, vectors, filters, highlighting … It is loaded
// when a query uses the first of these, and takes the place of the part `rql`, which it extends.
//
// Until it is loaded a query holds the calls as the app made them, with builders and callbacks (`readAll`).

import type { JsonObject } from "../common/json.js";
import type { FetchedEntities } from "../loading/track-documents.js";
import type { IndexQuery } from "../query/index-query.js";
import type { ExecutedQuery } from "../query/query-execution.js";
import type { Reading } from "../query/query-results.js";
import type { RawDocumentQuery } from "../query/raw-query.js";
import { invalid, type RecordedCall } from "../rql/call.js";
import * as rql from "../rql/render.js";
import type { SessionState } from "../session/session-state.js";
import { query as parameters } from "../wire/query-string.js";
import { CmpXchg, MethodCall, RavenDateMethodCall } from "./builders/rql-functions.js";
import { ExtraClauses } from "./extra-clauses.js";
import { READERS } from "./read-calls.js";

export { missingIndex, written } from "../rql/render.js";

/** Reads the last call, which the app makes now. If it is wrong, the query is as it was before. */
export function readLast(query: RawDocumentQuery): void {
  if (query.part !== "extras") return;
  const call = query.calls.pop() as RecordedCall;
  readAll(query);
  readCall(query, call);
}

/** Reads the calls that were made before this part was loaded. */
export function readAll(query: RawDocumentQuery): void {
  const { calls, part } = query;
  if (part !== "extras" || calls.every(isRead)) return;
  const all = calls.splice(0);
  try {
    for (const call of all) readCall(query, call);
  } catch (error) {
    query.calls = all;
    throw error;
  }
}

function readCall(query: RawDocumentQuery, call: RecordedCall): void {
  const [name, ...given] = call;
  const read = READERS[name] as ((query: object, ...given: unknown[]) => RecordedCall[]) | undefined;
  const calls = read?.(query, ...given) ?? [call];
  // The name of the collection may not be known yet.
  const source: RecordedCall = [(query as ExecutedQuery).indexName ? "index" : "collection", "any"];
  if (read) check([source, ...query.calls, ...calls]);
  for (const made of calls) query.calls.push(made);
}

function queryOf(calls: RecordedCall[]): rql.Query {
  const written = calls.map((call): RecordedCall => {
    const [name, field, value, exact] = call;
    return value instanceof MethodCall
      ? ["whereMethod", name, field, functionOf(value), value.args, value.accessPath, exact]
      : call;
  });
  return rql.Query.of(written, (query) => new ExtraClauses(query));
}

function functionOf(call: MethodCall): string {
  if (call instanceof CmpXchg) return "cmpxchg";
  return call instanceof RavenDateMethodCall
    ? call.dateMethodType.toLowerCase()
    : invalid("a function of RQL is made by CmpXchg or RavenQuery");
}

/** The body of a query. */
export function render(calls: RecordedCall[]): string {
  return queryOf(calls).body;
}

/** Throws if one of these calls has no meaning; the query may go on after them. */
export function check(calls: RecordedCall[]): void {
  queryOf(calls);
}

/** Whether a call is as RQL is made of it. */
function isRead([name]: RecordedCall): boolean {
  return !(name in READERS);
}

/** Loads what the calls need; see `rql/render.ts`. */
export async function prepare(calls: RecordedCall[]): Promise<void> {
  await rql.prepare(calls.filter((call) => isRead(call) || call[0] === "selectTimeSeries"));
}

/** Sends a query. */
export async function fetch(state: SessionState, query: ExecutedQuery): Promise<FetchedEntities> {
  const { tag } = query.reading;
  return rql.fetch(state, query, parameters([["tag", tag]]));
}

export function fillStatistics(reading: Reading, rest: JsonObject, state: SessionState): void {
  rql.fillStatistics(reading, rest, state);
  for (const receive of reading.receivers ?? []) receive(rest);
}

export function indexQueryOf(body: string, reading: Reading): IndexQuery {
  const query = rql.indexQueryOf(body, reading);
  // Not enumerable: it is a part of the address, not of the body.
  return Object.defineProperty(query, "tag", { value: reading.tag, writable: true, configurable: true });
}
