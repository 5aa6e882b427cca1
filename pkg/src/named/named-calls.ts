// Queries and patches by name: sent to a gateway by their names, or to RavenDB by their texts, if the store defines the names.

import { checkNames, isObject, isText } from "../common/arguments.js";
import { fail, type RavenEdgeError } from "../common/error.js";
import type { Entity, ServerDocument } from "../documents/entity-types.js";
import type { NamedQuery as Definition } from "../gateway/options-types.js";
import { load, type ResponseBody } from "../loading/request-documents.js";
import type { ConversionEvent } from "../loading/track-documents.js";
import { type FetchedEntities, fetchResponses } from "../loading/track-documents.js";
import type { PatchCommandData } from "../patching/patch-request.js";
import type { ExecutedQuery } from "../query/query-execution.js";
import { plain } from "../query/query-parameters.js";
import type { Reading } from "../query/query-results.js";
import type { RecordedCall } from "../rql/call.js";
import { missingIndex } from "../rql/query-statistics.js";
import type { SessionState } from "../session/session-state.js";
import { check as checkDefinitions, collectionIn, type Resolved, resolve } from "./named-definitions.js";

export { indexQueryOf, written } from "../query/index-query.js";
export { fillStatistics } from "../rql/query-statistics.js";
export { checkDefinitions, collectionIn, missingIndex, resolve };

/** A call by name, as the app writes it. */
export interface NamedCall {
  named?: unknown;
  parameters?: unknown;
  next?: unknown;
}

/** The options of `session.query` for a query by its name. */
const OPTIONS = ["named", "parameters", "documentType", "next"];
/** The methods of a query that a named one has, too, of those that record their calls. */
const METHODS = ["skip", "take", "noCaching"];
/** The most results that a gateway gives at once; it gives fewer if the query says so. */
const PAGE = 1_024;
/** Between what the gateway calls a position, and a number of results behind it. */
const BEHIND = "~";
/** The gateway's error for a page that it does not give. */
const LIMIT = "RavenEdge.Gateway.LimitExceeded";

/** Refuses the last of these calls, if a named query does not have it. */
export function check(calls: readonly RecordedCall[]): void {
  const [name, count] = calls.at(-1) as RecordedCall;
  if (!METHODS.includes(name))
    fail(
      "InvalidOperation",
      `a named query has no ${name}: its declaration says what it asks. Declare a parameter for it, or another query; a client without a gateway also has session.query({ collection })`,
    );
  if (name !== "noCaching" && !(Number.isSafeInteger(count) && (count as number) >= 0))
    fail("InvalidArgument", `${name} takes a whole number, 0 or more`);
}

/** A query as it is sent. */
type Asked = ReturnType<typeof asked>;

function asked(state: SessionState, calls: readonly RecordedCall[]) {
  const [[, given], ...others] = calls as [[string, NamedCall], ...RecordedCall[]];
  for (const call of others) check([call]);
  checkNames("option of a named query:", given, OPTIONS);
  const { named, next } = given;
  if (next !== undefined && !isText(next))
    fail(
      "InvalidArgument",
      "next is what the results of an earlier page say; leave it out for the first page",
    );
  const last = (name: string) => others.filter(([each]) => each === name).at(-1)?.[1] as number | undefined;
  const parameters = sentValues(given, plain);
  // Definition and values, if this client sends the text.
  const own = resolve(state, "queries", named, parameters);
  // The most results; `undefined`: all.
  const [skip = 0, take] = [last("skip"), last("take")];
  return { state, calls, name: nameOf(named), parameters, skip, take, next, own };
}

function nameOf(named: unknown): string {
  return isText(named) ? named : fail("InvalidArgument", "named: the name of a query or patch is a text");
}

/** The parameters of a call as they are sent, after `convert`. */
function sentValues(
  { parameters = {} }: NamedCall,
  convert: (value: unknown) => unknown,
): Record<string, unknown> {
  if (!isObject(parameters) || Array.isArray(parameters))
    fail("InvalidArgument", "parameters: an object with values by their names");
  const all = Object.entries(parameters).map(([name, value]) => [name, convert(value)]);
  return JSON.parse(JSON.stringify(Object.fromEntries(all)));
}

/** The body of the query as `POST queries` takes it. Only a client that defines the names can say. */
export function render([, ...calls]: readonly RecordedCall[], state: SessionState): string {
  const request = asked(state, calls);
  if (!request.own)
    fail(
      "InvalidOperation",
      `only the gateway knows the text of the query ${request.name}; without a gateway define it by store.named()`,
    );
  return body(request, request.own, { Start: request.skip, PageSize: request.take });
}

function body({ calls }: Asked, { definition, values }: Resolved<Definition>, page: object): string {
  const { wait } = definition;
  const options = {
    ...(wait && { WaitForNonStaleResults: true, WaitForNonStaleResultsTimeout: wait }),
    ...caching(calls),
  };
  return JSON.stringify({ Query: definition.query, ...options, QueryParameters: values, ...page });
}

const caching = (calls: Asked["calls"]) =>
  calls.some(([name]) => name === "noCaching") && { DisableCaching: true };

const routeOf = (name: string) => `queries/named/${encodeURIComponent(name)}`;

/** The request for all results as a stream; `pick`: makes of a document what the query gives. */
export function streamed(
  state: SessionState,
  calls: readonly RecordedCall[],
): { route: string; text: string; pick?: (document: ServerDocument) => ServerDocument } {
  const request = asked(state, calls);
  const { own, skip, take, next, name, parameters } = request;
  if (skip || take !== undefined || next)
    fail("InvalidOperation", "a stream of a named query has all its results: no skip, take and next");
  if (!own) return { route: `streams/${routeOf(name)}`, text: JSON.stringify({ Parameters: parameters }) };
  const { projection } = own.definition;
  const route = "streams/queries";
  const text = body(request, own, {});
  return projection ? { route, text, pick: (document) => picked(document, projection) } : { route, text };
}

/** Sends a query, page by page, until it has all results that are wanted. */
export async function fetch(
  state: SessionState,
  { calls, reading }: ExecutedQuery,
): Promise<FetchedEntities> {
  const request = asked(state, calls);
  if (reading.projection) check([["projection"]]);
  const page = request.own ? direct(request, reading, request.own) : throughGateway(request, reading);
  const entities: FetchedEntities["entities"] = [];
  const { take = Number.POSITIVE_INFINITY } = request;
  let [next, passed] = positionOf(request.next);
  let { skip } = request;
  let isStale = false;
  for (let least = 0; ; ) {
    const asked = Math.max(take - entities.length, least) + passed;
    const { entities: found, rest } = await page(next, skip, asked);
    isStale ||= rest.IsStale as boolean;
    const fresh = found.slice(passed);
    const used = fresh.slice(0, take - entities.length);
    for (const entity of used) entities.push(entity);
    // The page begins behind `next`, and not all of it is used.
    const rests = used.length < fresh.length && `${next}${BEHIND}${passed + used.length}`;
    next = (rest.Next as string | null) ?? undefined;
    if (rests || next === undefined || entities.length === take) {
      // Listed in the statistics, it becomes a part of the results.
      Object.assign(reading.statistics, { next: undefined });
      return { entities, rest: { ...rest, IsStale: isStale, Next: rests || rest.Next } };
    }
    // The gateway judges a few times as many results as are requested. It may be that the caller may see none of them.
    least = fresh.length === 0 ? 2 * asked : 0;
    passed = Math.max(0, passed - found.length);
    skip = 0;
  }
}

/** Where a page begins: what the gateway calls it, and how many results behind that the app has already. */
function positionOf(next: string | undefined): [next: string | undefined, passed: number] {
  const [, sealed = next, passed] = /^(.*)~(\d{1,4})$/.exec(next ?? "") ?? [];
  return [sealed, Number(passed ?? 0)];
}

/** Fetches results behind `next`; `take`: the most that are wanted. */
type Page = (next: string | undefined, skip: number, take: number) => Promise<FetchedEntities>;

function throughGateway({ state, calls, name, parameters }: Asked, reading: Reading): Page {
  return async (next, skip, take) => {
    const text = JSON.stringify({
      Parameters: parameters,
      PageSize: Math.min(take, PAGE),
      Skip: skip || undefined,
      Next: next,
      ...caching(calls),
    });
    const [found] = await fetchResponses(state, routeOf(name), text, [reading]).catch((error: unknown) => {
      if (take === 0 && (error as RavenEdgeError).type === LIMIT) untold(name);
      throw error;
    });
    return found as FetchedEntities;
  };
}

/** The collections that a query reads, as far as its definition says. */
function collectionsOf({ collections, query }: Definition): readonly string[] | undefined {
  const found = collectionIn(query);
  return collections ?? (found === undefined ? undefined : [found]);
}

type Counts = Partial<Record<"TotalResults" | "SkippedResults" | "ScannedResults" | "Removed", number>> & {
  IsStale?: boolean;
};

function direct(request: Asked, reading: Reading, own: Resolved<Definition>): Page {
  const { projection, total, wait } = own.definition;
  if (request.take === 0 && !total) untold(request.name);
  return async (next = "0", skip, take) => {
    if (!/^\d+$/.test(next))
      fail("InvalidArgument", "next is none of this client's: begin with the first page");
    const start = Number(next) + skip;
    const text = body(request, own, { Start: start, PageSize: Number.isFinite(take) ? take : undefined });
    const [found] = projection
      ? await projected(request.state, text, wait, reading, projection)
      : await fetchResponses(request.state, "queries", text, [reading], wait);
    if (!found) throw missingIndex(undefined);
    const { entities, rest } = found as FetchedEntities;
    const { IsStale, TotalResults = 0, SkippedResults = 0, ScannedResults, Removed = 0 } = rest as Counts;
    // RavenDB counts what it skips: deleted documents that a stale index still lists, and repeated ones.
    const passed = entities.length + Removed + SkippedResults;
    const end = start + passed;
    // The total is no position where the query scans documents (`filter`), and negative where it is not known.
    const isEnd = passed < take || (!ScannedResults && TotalResults >= 0 && end >= TotalResults);
    // What a gateway would tell, so that an app sees the same with it and without it.
    const Next = isEnd || take === 0 ? null : String(end);
    const { Pending, KeptAt } = rest;
    const Collections = collectionsOf(own.definition);
    return {
      entities,
      rest: { IsStale, Next, Pending, KeptAt, Collections, ...(total && { TotalResults }) },
    };
  };
}

function untold(name: string): never {
  fail(
    "InvalidOperation",
    `the query ${name} does not tell how many results there are: its declaration needs total: true`,
  );
}

/** Sends a query and gives these members of the documents, as a gateway does. */
async function projected(
  state: SessionState,
  text: string,
  wait: number | undefined,
  reading: Reading,
  names: readonly string[],
): Promise<FetchedEntities[]> {
  const { bodies, numbers } = await load(state, "queries", text, 1, wait, undefined);
  const events: ConversionEvent[] = [];
  const found = (bodies as ResponseBody[]).map(({ Results, Includes = {}, ...rest }) => {
    const entities = Results.map((document) => reading.project(picked(document, names), events) as Entity);
    if (!state.noTracking && !reading.untracked)
      state.unitOfWork.loadedIncludes(Object.values(Includes), state.mapper, numbers);
    return { entities, rest };
  });
  for (const event of events) state.emit("afterConversionToEntity", event);
  return found;
}

function picked(document: ServerDocument, names: readonly string[]): ServerDocument {
  const members = Object.entries(document).filter(([name]) => names.includes(name));
  const { "@id": id, "@collection": collection } = document["@metadata"];
  const metadata = { "@id": id, "@collection": collection, "@projection": true };
  return { ...Object.fromEntries(members), "@metadata": metadata as object as ServerDocument["@metadata"] };
}

/** Named queries need nothing else to be rendered. */
export async function prepare(_calls: readonly RecordedCall[]): Promise<void> {}

/** The command of a patch. */
export function serialized(
  state: SessionState,
  { id, returnDocument }: PatchCommandData,
  call: NamedCall,
): object {
  const Parameters = sentValues(call, (value) => state.mapper.value(value));
  const Named = nameOf(call.named);
  const own = resolve(state, "patches", Named, Parameters);
  const command = { Type: "PATCH", Id: id, ReturnDocument: returnDocument };
  if (!own) return { ...command, Named, Parameters };
  const { collection, script } = own.definition;
  // A gateway applies it to documents of this collection only.
  const guard = `if (getMetadata(this)["@collection"] !== ${JSON.stringify(collection)}) throw "not a document of ${collection}";\n`;
  return { ...command, ChangeVector: null, Patch: { Script: guard + script, Values: own.values } };
}
