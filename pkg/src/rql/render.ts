// Queries in RQL: recorded calls, `[["collection","Orders"],["whereEquals","name","a"],…]`, become the body of `POST /queries`.
//
// The calls are checked in their order. Values of the app become parameters; names of the app go through `names-and-parameters.ts`, which quotes
// every text that RQL would not read as one name. The texts are those of RavenDB's own clients, so that queries share their
// indexes and caches.

import { refuseInvalidDates } from "../documents/mapping/date-format.js";
import { type FetchedEntities, fetchResponses } from "../loading/track-documents.js";
import { waited } from "../query/index-query.js";
import type { ExecutedQuery } from "../query/query-execution.js";
import { loadedPart, loadPart } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import { Call, misplaced, type RecordedCall } from "./call.js";
import { alias, Names, Parameters, quoted } from "./names-and-parameters.js";
import { Select } from "./select.js";
import { WhereClauses } from "./where-clauses.js";

export { indexQueryOf, written } from "../query/index-query.js";
export { fillStatistics, missingIndex } from "./query-statistics.js";

/** The calls that a raw query takes, too. */
const RAW =
  "skip take waitForNonStaleResults noCaching timings addParameter raw identity usingDefaultOperator".split(
    " ",
  );

const ORDERINGS = new Map<unknown, string>([
  ["Long", " as long"],
  ["Double", " as double"],
  ["AlphaNumeric", " as alphaNumeric"],
]);
export const NULLS: ReadonlyMap<unknown, string> = new Map([
  ["First", " nulls first"],
  ["Last", " nulls last"],
]);

/** Methods that take a recorded call, by its name. */
type Methods = Record<string, (call: Call) => void>;

/** Whether the class of an object has this method. */
const has = (of: object, name: string): boolean => Object.hasOwn(Object.getPrototypeOf(of), name);

/** A query while its calls are read: each call is a method of this class, of `Select`, of `WhereClauses`, or of `more`. */
export class Query {
  #from = "";
  #raw: string | undefined;
  #groups: string[] = [];
  #includes = new Set<string>();
  /** Includes that are no documents. */
  #more = new Set<string>();
  #timings = false;
  #skip: number | null = null;
  #take: number | null = null;
  /** Milliseconds; 0: does not wait. */
  #wait = 0;
  #noCaching = false;
  /** Whether a collection is queried, and not an index by its name: then RavenDB makes the index. */
  isDynamic = false;
  readonly names = new Names();
  readonly parameters = new Parameters();
  clauses = new WhereClauses(this.names, this.parameters);
  readonly select = new Select(this.names);
  readonly orders: string[] = [];
  /** What the response has beside documents. */
  readonly shown: string[] = [];
  /** Has methods for the calls of the part `extras`, which sets the filter. */
  readonly more: object[] = [];
  filter = "";
  filterLimit = 0;

  /** Reads calls. `extend`: makes what has methods for further calls; `document`: the name of documents, if fields need it. */
  static of(calls: RecordedCall[], extend?: (query: Query) => object, document = ""): Query {
    const query = new Query();
    query.names.document = document;
    if (extend) query.more.push(extend(query));
    // A copy as JSON has it: dates are texts, and the query does not change when the app changes a value later.
    const copy: RecordedCall[] = JSON.parse(JSON.stringify(calls, refuseInvalidDates));
    for (const call of copy) query.#apply(new Call(call));
    const { own, wantsDocument } = query.names;
    return wantsDocument ? Query.of(calls, extend, own || "doc") : query;
  }

  #apply(call: Call): void {
    const { name } = call;
    if (this.#raw && !RAW.includes(name))
      misplaced("only parameters, paging and options can be added to a raw query");
    const target = [this, this.select, this.clauses, ...this.more].find((part) => has(part, name));
    if (target) (target as Methods)[name]?.(call);
    else if (/^include./.test(name)) this.#includeMore(call);
    else this.clauses.condition(call);
  }

  skip(call: Call): void {
    this.#skip = call.count(0);
  }

  take(call: Call): void {
    this.#take = call.count(0);
  }

  /** Of several calls the longest time counts. */
  waitForNonStaleResults(call: Call): void {
    this.#wait = Math.max(this.#wait, call.count(0));
  }

  noCaching(): void {
    this.#noCaching = true;
  }

  timings(): void {
    this.#timings = true;
  }

  addParameter(call: Call): void {
    const name = call.text(0).replace(/^\$/, "");
    if (this.parameters.has(name)) misplaced("a parameter of that name was already added");
    this.parameters.set(name, call.value(1));
  }

  raw(call: Call): void {
    this.#raw = call.text(0);
  }

  identity(call: Call): void {
    this.names.identity = call.optionalText(0);
  }

  collection(call: Call): void {
    this.isDynamic = true;
    this.#source("from ", call);
  }

  index(call: Call): void {
    this.#source("from index ", call);
  }

  #source(from: string, call: Call): void {
    this.names.own = call.optionalText(1);
    this.#from = from + quoted(call.text(0));
  }

  groupBy(call: Call): void {
    this.#group(call, (field) => field);
  }

  groupByArray(call: Call): void {
    this.#group(call, (field) => `Array(${field})`);
  }

  #group(call: Call, written: (field: string) => string): void {
    if (!this.isDynamic) misplaced("groupBy works on collections, not on an index of its own");
    this.names.grouped = true;
    this.#groups.push(written(this.names.name(call.text(0))));
  }

  include(call: Call): void {
    const path = call.text(0);
    const document = this.#document;
    // RavenDB's own clients quote more here than elsewhere. It reads a path in quotes name by name.
    const isPlain = /^[\w.]*$/.test(path) && !document;
    this.#includes.add(isPlain ? alias(path) : quoted(document ? `${document}.${path}` : path));
  }

  /** Includes what is no document: its capability writes it. */
  #includeMore(call: Call): void {
    const part =
      loadedPart("capabilities") ?? misplaced(`${call.name} becomes RQL only when the query is sent`);
    for (const item of part.includedItems(call, this.names, this.parameters)) this.#more.add(item);
  }

  orderBy(call: Call): void {
    this.#order(call, "");
  }

  orderByDescending(call: Call): void {
    this.#order(call, " desc");
  }

  /** Orders by a field as text (the default), as a number, or by a sorter of the server. */
  #order(call: Call, descending: string): void {
    const field = this.names.name(call.text(0));
    const sorter = call.optionalText(3);
    const order = sorter ? `custom(${field}, ${quoted(sorter)})` : field;
    const ordering = ORDERINGS.get(call.value(1)) ?? "";
    const nulls = NULLS.get(call.value(2)) ?? "";
    this.orders.push(order + ordering + descending + nulls);
  }

  orderByScore(): void {
    this.orders.push("score()");
  }

  orderByScoreDescending(): void {
    this.orders.push("score() desc");
  }

  randomOrdering(call: Call): void {
    this.#noCaching = true;
    const seed = call.optionalText(0);
    this.orders.push(`random(${seed && quoted(seed)})`);
  }

  /** The name of documents, if they have one. */
  get #document(): string {
    return this.names.own || this.names.document;
  }

  #text(): string {
    if (this.#raw) return this.#raw;
    if (!this.#from) misplaced("a query needs a collection or the name of an index");
    const more = loadedPart("capabilities")?.inOrder(this.#more) ?? [];
    const includes = [...this.#includes, ...more, ...this.shown, ...(this.#timings ? ["timings()"] : [])];
    return [
      this.#from,
      this.#document && ` as ${this.#document}`,
      listed(" group by ", this.#groups, ", "),
      this.clauses.text,
      listed(" order by ", this.orders, ", "),
      this.filter,
      this.select.text,
      listed(" include ", includes, ","),
    ].join("");
  }

  get body(): string {
    let text = this.#text();
    if (this.#skip || this.#take !== null) {
      const [skip, take] = [this.#skip, this.#take].map((count) => this.parameters.add(count));
      text += ` limit ${skip}, ${take}`;
    }
    if (this.filterLimit) text += ` filter_limit ${this.parameters.add(this.filterLimit)}`;
    const wait = `,"WaitForNonStaleResults":true,"WaitForNonStaleResultsTimeout":${this.#wait}`;
    const options = (this.#wait > 0 ? wait : "") + (this.#noCaching ? ',"DisableCaching":true' : "");
    return `{"Query":${JSON.stringify(text)}${options},"QueryParameters":${this.parameters.json}}`;
  }
}

function listed(before: string, items: string[], between: string): string {
  return items.length > 0 ? before + items.join(between) : "";
}

/**
 * The body of a query. Names of calls are those of npm `ravendb`'s methods; `collection`, `index` or `raw` say what is queried.
 */
export function render(calls: RecordedCall[]): string {
  return Query.of(calls).body;
}

/** Throws if one of these calls has no meaning; the query may go on after them. */
export function check(calls: RecordedCall[]): void {
  Query.of(calls);
}

/** Loads what reads the parts of a response that are no documents. */
export async function prepare(calls: RecordedCall[]): Promise<void> {
  if (calls.some(([name, text]) => /^include.|raw.*include|^(raw|sel).*timeseries/is.test(name + text)))
    await (await loadPart("capabilities")).loadIncluded(calls);
}

/** For how many milliseconds a query lets the server wait. In texts of the app each quote has a `\` before it. */
const WAIT = /,"WaitForNonStaleResultsTimeout":(\d+)/g;

/** Sends a query. `parameters`: of the address. */
export async function fetch(
  state: SessionState,
  query: ExecutedQuery,
  parameters = "",
): Promise<FetchedEntities> {
  const body = query.body();
  // The server says which parts of a projection are time series.
  const names = /timeseries/i.test(body) ? "addTimeSeriesNames=true" : "";
  const given = [names, parameters].filter(Boolean).join("&");
  const route = given ? `queries?${given}` : "queries";
  const [found] = await fetchResponses(state, route, body, [query.reading], waited(body, WAIT));
  return found as FetchedEntities;
}
