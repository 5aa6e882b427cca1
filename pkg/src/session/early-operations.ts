// The first operation of a session in a page whose module is on its way: sends the request that it will make. Each function returns one
// that drops the response if the operation has not used it: a later operation must not get it.

import { type IncludeCall, isObject } from "../common/arguments.js";
import { readRequest } from "../core/exchange.js";
import type { ExecutedQuery } from "../query/query-execution.js";
import { byIds } from "../wire/documents-request.js";
import { query as queryString } from "../wire/query-string.js";
import type { SessionState } from "./session-state.js";

/** What a session can do before there is a core. */
export type EarlyOperations = typeof early;

/** Whether the server's response is what a read gives: without a connection documents may come from the device. */
function readsFromServer({ store, options }: SessionState): boolean {
  return !store.offline && !options.noCaching;
}

function read({ store }: SessionState, route: string, body: string | undefined): (() => void) | undefined {
  return store.early?.early.send(readRequest(store.path(route), body));
}

export const early = {
  /** Leases numbers for the id of a new entity, as soon as its collection is known. */
  store(state: SessionState, entity: unknown): undefined {
    const { conventions, store } = state;
    /** Returns whether the rules of plurals would help. */
    const lease = (): boolean => {
      if (!isObject(entity) || state.noTracking || typeof state.shownId(entity) === "string") return false;
      if (conventions.generatorOf(entity)) return false;
      const kind = conventions.describe(entity);
      if (kind?.collection) store.leaseEarly(state.tagOf(kind.collection));
      return !kind;
    };
    // They may arrive before the module. Errors are reported by the operation itself.
    if (lease())
      conventions
        .ready()
        .then(lease)
        .catch(() => {});
  },

  /** Loads documents as `fetchByIds` will. */
  load(state: SessionState, includes: IncludeCall[], ids: string[]) {
    const isMore = includes.some(([method]) => method !== "include");
    if (ids.length === 0 || isMore || !readsFromServer(state)) return undefined;
    const { route, body } = byIds(queryString(includes), [...new Set(ids)]);
    return read(state, route, body && JSON.stringify(body));
  },

  /** Sends a query when it can be rendered, if no listener may change it. */
  query(state: SessionState, query: ExecutedQuery) {
    if (!query.isFixed || !readsFromServer(state)) return undefined;
    let drop: (() => void) | undefined = () => {};
    const send = async () => {
      await query.prepare();
      const body = query.body();
      // Others have another address, or may take longer.
      if (drop && !/timeseries|WaitForNonStale/i.test(body)) drop = read(state, "queries", body) ?? drop;
    };
    // Why it cannot be rendered, the query itself reports.
    send().catch(() => {});
    return () => {
      drop?.();
      drop = undefined;
    };
  },
};
