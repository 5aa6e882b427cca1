// Loads that few apps need: several requests in one, documents that are not as the app knows them, documents by a prefix.

import { isText, optionsOf } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { DocumentType, Entity, ObjectTypeDescriptor } from "../documents/entity-types.js";
import { waited } from "../query/index-query.js";
import type {
  ConditionalLoadResult,
  SessionLoadStartingWithOptions,
  StartingWithOptions,
} from "../session/advanced-options.js";
import type { SessionState } from "../session/session-state.js";
import { query } from "../wire/query-string.js";
import { type FetchedEntities, fetchByIds, fetchResponses, type PartialRequest } from "./track-documents.js";

/** As the app gets it: without a document both members are `null`. */
type Result = Omit<ConditionalLoadResult<Entity>, "changeVector"> & { changeVector: string | null };

export class Conditional {
  /** One of several requests; `undefined` for a document that the session has. */
  request: PartialRequest | undefined;
  #state;
  #id;
  #changeVector;
  #type: ObjectTypeDescriptor | undefined;

  constructor(state: SessionState, id: string, changeVector: string, given?: DocumentType) {
    if (!isText(id)) fail("InvalidArgument", "conditionalLoad takes an id");
    if (!changeVector && !state.unitOfWork.knows(id))
      fail("InvalidArgument", `${id} is not loaded: conditionalLoad takes the change vector that you know`);
    const type = state.conventions.classOf(given);
    this.#state = state;
    this.#id = id;
    this.#changeVector = changeVector;
    this.#type = type;
    if (state.unitOfWork.knows(id)) return;
    const headers = { "If-None-Match": `"${changeVector}"` };
    this.request = { query: query([["id", id]]), headers, reading: { type } };
  }

  /** The entity, if there is a newer one, and its change vector. */
  result(found?: FetchedEntities): Result {
    const state = this.#state;
    if (found?.rest.isKnown) return { entity: null, changeVector: this.#changeVector };
    if (state.noTracking) {
      const entity = (found as FetchedEntities).entities[0] ?? null;
      return { entity, changeVector: entity?.["@metadata"]?.["@change-vector"] ?? null };
    }
    if (found) state.unitOfWork.loadedWithout([idKey(this.#id)]);
    const entity = state.find(this.#id, this.#type);
    return {
      entity,
      changeVector: state.unitOfWork.versions.vector(state.unitOfWork.slotOf(entity)) ?? null,
    };
  }
}

/** Loads one document at once, without waiting for other requests. */
export async function conditionalLoad(
  state: SessionState,
  id: string,
  changeVector: string,
  type?: DocumentType,
): Promise<Result> {
  const load = new Conditional(state, id, changeVector, type);
  const [found] = load.request ? await fetchAll(state, [load.request]) : [];
  if (found?.error) throw found.error;
  return load.result(found as FetchedEntities | undefined);
}

/** Finds how long queries let the server wait, in bodies that are texts here. Texts of the app have one more `\` before each quote. */
const WAITS = /,\\"WaitForNonStaleResultsTimeout\\":(\d+)/g;

/** Sends several requests in one; resolves with their entities, and with `{ error }` for each that failed. */
export async function fetchAll(state: SessionState, requests: PartialRequest[]) {
  const all = requests.map(({ query, headers = {}, route = "docs", body }) => ({
    Url: state.store.path(route),
    Query: query ? `?${query}` : "",
    Method: body ? "POST" : "GET",
    Headers: headers,
    Content: body,
  }));
  const readings = requests.map(({ reading }) => reading);
  const body = JSON.stringify({ Requests: all });
  return fetchResponses(state, "multi_get", body, readings, waited(body, WAITS));
}

/** The query of a request by prefix: for all documents, if the app gives no `pageSize`. */
export function listing(
  startsWith: unknown,
  { matches, exclude, start, pageSize, startAfter }: StartingWithOptions = {},
): string {
  if (typeof startsWith !== "string") fail("InvalidArgument", "loadStartingWith takes the beginning of ids");
  return query(Object.entries({ startsWith, matches, exclude, start, pageSize, startAfter }));
}

/** Leaves out entities for whose ids `load` returns `null`: documents that are to be deleted, or that did not exist before. */
export function loadable({ unitOfWork }: SessionState, entities: (Entity | null)[]): Entity[] {
  return entities.filter(
    (entity): entity is Entity => !!entity && !unitOfWork.isAbsent(idKey(unitOfWork.idOf(entity) ?? "")),
  );
}

export async function loadStartingWith(
  state: SessionState,
  prefix: string,
  given?: SessionLoadStartingWithOptions,
): Promise<Entity[]> {
  const options = optionsOf<SessionLoadStartingWithOptions>(given);
  const type = state.conventions.classOf(options.documentType);
  const { entities } = await fetchByIds(state, listing(prefix, options), { type });
  return loadable(state, entities);
}
