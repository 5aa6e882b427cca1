// Loads that few apps need: several requests in one, lazy loads among them; documents that are not as the app knows them, documents by a
// prefix; `refresh` and `exists`.

import { includeCalls, isText, optionsOf } from "../common/arguments.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { classOf } from "../common/value-kinds.js";
import type {
  DocumentType,
  Entity,
  ObjectTypeDescriptor,
  ServerDocument,
} from "../documents/entity-types.js";
import { put } from "../documents/snapshots/put-member.js";
import { waited } from "../query/index-query.js";
import type { SessionLoadStartingWithOptions, StartingWithOptions } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import { query } from "../wire/query-string.js";
import type { Lazy, Load } from "./lazy-operations.js";
import { read } from "./request-documents.js";
import {
  byKey,
  type ConversionEvent,
  convert,
  type Fetched,
  type FetchedEntities,
  fetchByIds,
  fetchResponses,
  type PartialRequest,
} from "./track-documents.js";

/** One document, which the server sends only if it has another change vector. */
export function conditional(state: SessionState, id: string, changeVector: string, given?: DocumentType) {
  const { unitOfWork } = state;
  if (!isText(id)) fail("InvalidArgument", "conditionalLoad takes an id");
  if (!changeVector && !unitOfWork.knows(id))
    fail("InvalidArgument", `${id} is not loaded: conditionalLoad takes the change vector that you know`);
  const type = state.conventions.classOf(given);
  const headers = { "If-None-Match": `"${changeVector}"` };
  const request: PartialRequest = { query: query([["id", id]]), headers, reading: { type } };
  return {
    request: unitOfWork.knows(id) ? undefined : request,
    /** The entity, if there is a newer one, and its change vector. */
    result(found?: FetchedEntities): { entity: Entity | null; changeVector: string | null } {
      if (found?.rest.isKnown) return { entity: null, changeVector };
      if (state.noTracking) {
        const entity = (found as FetchedEntities).entities[0] ?? null;
        return { entity, changeVector: entity?.["@metadata"]?.["@change-vector"] ?? null };
      }
      if (found) unitOfWork.loadedWithout([idKey(id)]);
      const entity = state.find(id, type);
      return { entity, changeVector: unitOfWork.versions.vector(unitOfWork.slotOf(entity)) ?? null };
    },
  };
}

/** Loads one document at once, without waiting for other requests. */
export async function conditionalLoad(
  state: SessionState,
  id: string,
  changeVector: string,
  type?: DocumentType,
) {
  const load = conditional(state, id, changeVector, type);
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
function loadable({ unitOfWork }: SessionState, entities: (Entity | null)[]): Entity[] {
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

const NOTHING = { entities: [] };

/** What a load uses of its response, which has no error: `Lazy` throws that first. */
type Found = Pick<FetchedEntities, "entities">;

/** Documents by their ids. */
export function lazyByIds(
  state: SessionState,
  several: boolean,
  ids: string[],
  type: ObjectTypeDescriptor | undefined,
  includes: string[],
): Load {
  const missing = ids.filter((id) => includes.length > 0 || !state.unitOfWork.knows(id));
  const named = [...missing.map((id) => ["id", id] as const), ...includeCalls(includes)];
  return {
    request: missing.length > 0 ? { query: query(named), reading: { type } } : undefined,
    result({ entities }: Found = NOTHING) {
      const untracked = state.noTracking && byKey(entities);
      // Only the requested ids: a document that the session had may have been evicted since.
      if (!untracked) state.unitOfWork.loadedWithout(missing);
      const found = (id: string) => (untracked ? (untracked.get(idKey(id)) ?? null) : state.find(id, type));
      if (!several) return ids.length > 0 ? found(ids[0] as string) : null;
      return Object.fromEntries(ids.map((id) => [id, found(id)]));
    },
  };
}

/** Documents by the prefix of their ids. */
export function lazyByPrefix(
  state: SessionState,
  prefix: string,
  options: StartingWithOptions,
  type: ObjectTypeDescriptor | undefined,
): Load {
  // Tracked entities may not show their metadata; untracked ones do.
  const id = (entity: Entity) =>
    state.unitOfWork.idOf(entity) ?? (entity as ServerDocument)["@metadata"]["@id"];
  return {
    request: { query: listing(prefix, options), reading: { type } },
    result: ({ entities }: Found = NOTHING) =>
      Object.fromEntries(loadable(state, entities).map((entity) => [id(entity), entity])),
  };
}

/** A request, or why it cannot be made. */
type Prepared = (PartialRequest & { error?: undefined }) | { error: unknown } | undefined;

/** Sends the requests of all lazy values as one, and gives each value its response. */
export async function send(state: SessionState, lazies: Lazy[]): Promise<void> {
  const requests: Prepared[] = [];
  for (const lazy of lazies) requests.push(await lazy.request().catch((error: unknown) => ({ error })));
  const asked = requests.filter((request): request is PartialRequest => !!request && !request.error);
  const unreadable = (error: unknown) => {
    // A response that cannot be read would come again: only a failure on the way is worth another request.
    if (error instanceof RavenEdgeError && error.code !== "BadAnswer") throw error;
    return asked.map(() => ({ error }));
  };
  const responses: Fetched[] = asked.length > 0 ? await fetchAll(state, asked).catch(unreadable) : [];
  lazies.forEach((lazy, at) => {
    const request = requests[at];
    lazy.accept(
      request?.error ? (request as { error: unknown }) : responses[asked.indexOf(request as PartialRequest)],
    );
  });
  for (const lazy of lazies) lazy.evaluated = lazy.evaluate();
}

/** `several`: whether the app gave a list. */
export async function refresh(state: SessionState, entities: unknown[], several: boolean): Promise<void> {
  const slots = entities.map((entity) => state.slot(entity, "InvalidArgument"));
  const ids = slots.map((slot) => state.unitOfWork.idAt(slot));
  if (ids.length === 0) return;
  const { documents: found, numbers } = await read(state, ids);
  const documents = new Map(found.map((document) => [idKey(document["@metadata"]["@id"]), document]));
  const absent = ids.filter((id) => !documents.has(id && idKey(id)));
  if (absent.length > 0)
    fail(
      several ? "InvalidArgument" : "InvalidOperation",
      `the document ${absent.join(", ")} does not exist: if it is new, save again; if it was deleted, evict the entity`,
    );
  slots.forEach((slot, at) => {
    // The app has evicted it meanwhile.
    if (state.unitOfWork.at(slot) === undefined) return;
    const document = documents.get(idKey(ids[at] as string)) as ServerDocument;
    revise(state, slot, document, numbers.get(document["@metadata"]["@id"]));
  });
}

/** Gives the entity in a slot the members of a document, and removes others. `literals`: its numbers that JavaScript cannot hold. */
export function revise(
  state: SessionState,
  slot: number,
  document: ServerDocument,
  literals?: string[],
): void {
  const { unitOfWork } = state;
  const entity: Entity = unitOfWork.at(slot);
  const events: ConversionEvent[] = [];
  const fresh = convert(state, document, classOf(entity), events);
  const identity = state.mapper.identityOf(entity);
  if (identity && identity in fresh) fresh[identity] = unitOfWork.idAt(slot);
  for (const key of Object.keys(entity)) if (!Object.hasOwn(fresh, key)) Reflect.deleteProperty(entity, key);
  // A frozen entity stays as it is: throwing would not undo what the server did.
  for (const [key, value] of Object.entries(fresh)) put(entity, key, value);
  unitOfWork.loadedAgain(slot, document["@metadata"], literals);
  for (const event of events) state.emit("afterConversionToEntity", { ...event, entity });
}

export async function exists(state: SessionState, id: string): Promise<boolean> {
  const route = `docs?id=${encodeURIComponent(id)}`;
  return (await state.ask({ method: "HEAD", route, safe: true })).status === 200;
}
