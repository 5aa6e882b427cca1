// Compare-exchange values in sessions, which are loaded when they are first used. `session.advanced.clusterTransaction` creates, reads and
// deletes them; loads and queries include them.

import { AnyThis } from "../common/any-this.js";
import { type IncludeCall, isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { EntityType } from "../documents/entity-types.js";
import type { Load } from "../loading/lazy-operations.js";
import { strange } from "../loading/request-documents.js";
import { assertIndex, type Listed, routeOf } from "../operations/compare-exchange.js";
import { CompareExchangeValue } from "../operations/compare-exchange-value.js";
import { quoted } from "../rql/names-and-parameters.js";
import { lazies } from "../runtime/stand-in.js";
import { assertKey } from "../saving/batch-commands.js";
import type { SessionState } from "../session/session-state.js";
import { type Parameter, query } from "../wire/query-string.js";
import { KnownValues } from "./known-values.js";

/** Values by key; `null` for each that does not exist. */
type Values = Record<string, CompareExchangeValue | null>;

/** As in npm `ravendb`. */
const PAGE = 25;

const missing = (key: string): Listed => ({ Key: key, Index: -1 });

export class ClusterTransaction extends AnyThis {
  #state;

  constructor(state: SessionState) {
    super();
    if (!state.cluster) fail("InvalidOperation", 'clusterTransaction needs transactionMode: "ClusterWide"');
    this.#state = state;
  }

  get lazily(): object {
    return lazies(this.#state, "cluster");
  }

  /** `early`: what the app has got before this code was loaded. */
  createCompareExchangeValue(key: string, item: unknown, early?: object): CompareExchangeValue {
    assertKey(key);
    const value = early ? completed(early) : new CompareExchangeValue(key, 0, item, null as never);
    return KnownValues.of(this.#state).track(key).create(value);
  }

  deleteCompareExchangeValue(target: string | CompareExchangeValue, given?: number): void {
    const [key, index] = isObject(target) ? [target.key, target.index] : [target, given];
    assertKey(key);
    assertIndex(index);
    KnownValues.of(this.#state).track(key).delete(index);
  }

  async getCompareExchangeValue(key: string, type?: EntityType): Promise<CompareExchangeValue | null> {
    assertKey(key);
    return (await this.getCompareExchangeValues([key], type))[key] ?? null;
  }

  async getCompareExchangeValues(
    what: string | string[],
    type?: EntityType,
    start = 0,
    pageSize = PAGE,
  ): Promise<Values> {
    return this.#state.inOrder(
      () => (Array.isArray(what) ? this.#byKeys(what, type) : this.#byPrefix(what, type, start, pageSize)),
      "getCompareExchangeValues",
    );
  }

  async #byKeys(keys: string[], type: EntityType | undefined): Promise<Values> {
    const { parameters, made } = readByKeys(this.#state, keys, type);
    return made(parameters ? await this.#ask(parameters) : []);
  }

  async #byPrefix(
    prefix: string,
    type: EntityType | undefined,
    start: number,
    pageSize: number,
  ): Promise<Values> {
    if (typeof prefix !== "string")
      fail("InvalidArgument", "getCompareExchangeValues takes keys, or the prefix of keys");
    const parameters = Object.entries({ startsWith: prefix || undefined, start, pageSize });
    const known = KnownValues.of(this.#state);
    const values = (await this.#ask(parameters)).map((listed) => known.take(listed));
    return Object.fromEntries(values.map((value) => [value.key, value.value(type)]));
  }

  async #ask(parameters: (readonly [string, unknown])[]): Promise<Listed[]> {
    const state = this.#state;
    state.count();
    const route = routeOf(parameters);
    const { status, text } = await state.ask({ route });
    if (status === 404) return [];
    try {
      return (JSON.parse(text) as { Results: Listed[] }).Results.slice();
    } catch (cause) {
      strange(state.store, "GET", route, cause);
    }
  }
}

/** Makes the object that the app has got before this code was loaded a value like others. */
function completed(early: object): CompareExchangeValue {
  Reflect.deleteProperty(early, "hasMetadata");
  const value = Object.assign(early, { changeVector: null });
  return Object.setPrototypeOf(value, CompareExchangeValue.prototype) as CompareExchangeValue;
}

/** Values by their keys: what to request, if the session does not know all, and what becomes of the response. */
function readByKeys(state: SessionState, keys: string[], type: EntityType | undefined) {
  for (const key of keys) assertKey(key);
  const isUnknown = (key: string) => !KnownValues.of(state).get(key);
  const unknown = [...new Set(keys)].filter(isUnknown);
  return {
    parameters: unknown.length > 0 && unknown.map((key) => ["key", key] as const),
    made(listed: Listed[]): Values {
      const known = KnownValues.of(state);
      const read = new Map(listed.map((each) => [each.Key.toLowerCase(), each]));
      const taken = new Map(
        unknown.map((key) => [key, known.take({ ...(read.get(key.toLowerCase()) ?? missing(key)) })]),
      );
      return Object.fromEntries(
        keys.map((key) => [key, (taken.get(key) ?? known.get(key))?.value(type) ?? null]),
      );
    },
  };
}

export const of = (state: SessionState): ClusterTransaction => new ClusterTransaction(state);

/** What a lazy value asks for, and what it makes of the response. */
export function lazy(state: SessionState, member: string, [what, type]: unknown[]): Load {
  // Refuses other sessions.
  of(state);
  const isOne = member === "getCompareExchangeValue";
  if (!isOne && (member !== "getCompareExchangeValues" || !Array.isArray(what)))
    fail("InvalidArgument", "clusterTransaction.lazily reads values by their keys");
  const { parameters, made } = readByKeys(state, [what].flat() as string[], type as EntityType | undefined);
  const reading = { untracked: true, project: (listed: unknown) => listed };
  return {
    request: parameters ? { route: "cmpxchg", query: query(parameters), reading } : undefined,
    result(found) {
      // As `project` has left them.
      const listed: unknown = found?.entities ?? [];
      const values = made(listed as Listed[]);
      return isOne ? values[what as string] : values;
    },
  };
}

export { applyResult, include } from "./known-values.js";

function pathOf([, path]: IncludeCall): string {
  if (!isText(path)) fail("InvalidArgument", "includeCompareExchangeValue takes a path");
  return path;
}

export function parameters(calls: readonly IncludeCall[]): Parameter[] {
  return calls.map((call) => ["cmpxchg", pathOf(call)]);
}

export function rql(call: IncludeCall): string[] {
  return [`cmpxchg(${quoted(pathOf(call))})`];
}
