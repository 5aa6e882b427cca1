// Requests documents for a session, and checks the structure of the response.

import { fail, RavenEdgeError } from "../common/error.js";
import type { JsonObject } from "../common/json.js";
import { isEngineError } from "../common/value-kinds.js";
import { refused } from "../core/exchange.js";
import type { ServerDocument } from "../documents/entity-types.js";
import { idOf } from "../documents/snapshots/snapshot-values.js";
import type { SessionState } from "../session/session-state.js";
import { errorOf } from "../wire/server-error.js";

/** The part of a response that belongs to one request. */
export interface ResponseBody extends JsonObject {
  Results: ServerDocument[];
  Includes?: Record<string, ServerDocument>;
  /** Whether the server has confirmed that the client has the current document (304). */
  isKnown?: boolean;
}

/** Numbers that JavaScript cannot hold, as the server wrote them, by the ids of documents. */
export type InexactNumbers = Map<string, string[]>;

export interface LoadedBodies {
  /** One body per request; in a `multi_get` an `Error` for each refused request. */
  bodies: (ResponseBody | RavenEdgeError)[];
  numbers: InexactNumbers;
  /** The text of the response, if it has one. */
  text?: string | undefined;
}

/** One part of the response to a `multi_get`. */
interface ResponsePart {
  StatusCode: number;
  Result: ResponseBody;
}

/** A store, which knows the paths of its database. */
interface PathSource {
  path(route: string): string;
}

/**
 * Sends a request of a session; resolves with the body of its response, or, for `multi_get`, with the bodies of all `count` parts.
 * `wait`: milliseconds that the server may take beyond the time limit. `wanted`: the requested ids, for documents by ids. Changes that
 * wait on the device are laid over the documents; without a connection these may come from the device, unless `isFresh`.
 */
export function load(
  state: SessionState,
  route: string,
  body: string | undefined,
  count: number,
  wait?: number,
  wanted?: string[],
  isFresh?: boolean,
): Promise<LoadedBodies> {
  const ask = () => request(state, route, body, count, wait, wanted?.length);
  return state.store.offline?.lay(ask, wanted, state, route, body, isFresh) ?? ask();
}

/** Sends the request of {@link load} and reads its response as the server stores it, without what waits on the device; `wanted`: the number of requested ids. */
export async function request(
  state: SessionState,
  route: string,
  body: string | undefined,
  count: number,
  wait: number | undefined,
  wanted: number | undefined,
): Promise<LoadedBodies> {
  const several = route === "multi_get";
  const task = state.enter((core) => core.load(route, body, wait as number));
  let cause: unknown;
  try {
    const { body: read, numbers, text } = await state.run(task, (response) => response.read(several));
    // A 404 without a text, which a proxy may send, too: the document of a single id, or the index of a query, does not exist.
    if (read === undefined && (wanted === 1 || /^queries\b(?!\/)/.test(route)))
      return { bodies: [], numbers };
    if (isBody(read)) {
      const parts = read.Results as unknown[] as ResponsePart[];
      const bodies = several ? parts.map(bodyOf) : [read];
      // A redirect may turn a POST into a GET, whose response is a listing, without `Includes`.
      const isWhole =
        bodies.length === count &&
        bodies.every((body) => body instanceof RavenEdgeError || isBody(body)) &&
        (!((wanted as number) > 1) || !!read.Includes);
      if (isWhole) return { bodies, numbers, text };
    }
  } catch (error) {
    // RavenDB may store invalid JSON (`1.`).
    if (!isEngineError(error, "SyntaxError")) throw error;
    cause = error;
  }
  strange(state.store, body === undefined ? "GET" : "POST", route, cause);
}

/** Refuses a response that RavenDB would not send. */
export function strange(store: PathSource, method: string, route: string, cause?: unknown): never {
  const why = (cause as Error | undefined)?.message ?? "requested documents are missing";
  fail("BadAnswer", `not a response of RavenDB (${why}): is this path forwarded to it?`, {
    cause,
    request: `${method} ${store.path(route.split("?")[0] as string)}`,
  });
}

function bodyOf({ StatusCode: status, Result }: ResponsePart): ResponseBody | RavenEdgeError {
  if (status === 200) return Result;
  if (status === 404) return { Results: [] };
  if (status === 304) return { Results: [], isKnown: true };
  return errorOf(refused({ status, text: JSON.stringify(Result) }));
}

function isBody(value: unknown): value is ResponseBody {
  return Array.isArray((value as ResponseBody | null | undefined)?.Results);
}

/** Reads the current documents, without adding them to the session; inexact numbers are by id. */
export async function read(
  state: SessionState,
  ids: string[],
): Promise<{ documents: ServerDocument[]; numbers: InexactNumbers }> {
  const { bodies, numbers } = await load(state, "docs", JSON.stringify({ Ids: ids }), 1, 0, ids, true);
  return { documents: (bodies as ResponseBody[]).flatMap(({ Results }) => Results.filter(idOf)), numbers };
}
