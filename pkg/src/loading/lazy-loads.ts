// Lazy loads, which share one request: what each asks for, and what it makes of its response.

import { RavenEdgeError } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { Entity, ObjectTypeDescriptor, ServerDocument } from "../documents/entity-types.js";
import type { StartingWithOptions } from "../session/advanced-options.js";
import type { SessionState } from "../session/session-state.js";
import { query } from "../wire/query-string.js";
import type { Lazy } from "./lazy-operations.js";
import { fetchAll, listing, loadable } from "./rare-loads.js";
import { byKey, type Fetched, type FetchedEntities, type PartialRequest } from "./track-documents.js";

const NOTHING = { entities: [] };

/** What a load uses of its response, which has no error: `Lazy` throws that first. */
type Found = Pick<FetchedEntities, "entities">;

/** Documents by their ids. */
export class LazyLoad {
  /** One of several requests; `undefined` if the session has all documents. */
  request: PartialRequest | undefined;
  #state;
  #several;
  #ids;
  #type;
  #missing;

  constructor(
    state: SessionState,
    several: boolean,
    ids: string[],
    type: ObjectTypeDescriptor | undefined,
    includes: string[],
  ) {
    this.#state = state;
    this.#several = several;
    this.#ids = ids;
    this.#type = type;
    this.#missing = ids.filter((id) => includes.length > 0 || !state.unitOfWork.knows(id));
    if (this.#missing.length === 0) return;
    const named: [string, string][] = [
      ...this.#missing.map((id): [string, string] => ["id", id]),
      ...includes.map((path): [string, string] => ["include", path]),
    ];
    this.request = { query: query(named), reading: { type } };
  }

  result({ entities }: Found = NOTHING): Entity | null | Record<string, Entity | null> {
    const state = this.#state;
    const ids = this.#ids;
    const untracked = state.noTracking && byKey(entities);
    // Only the requested ids: a document that the session had may have been evicted since.
    if (!untracked) state.unitOfWork.loadedWithout(this.#missing);
    const found = (id: string) =>
      untracked ? (untracked.get(idKey(id)) ?? null) : state.find(id, this.#type);
    if (!this.#several) return ids.length > 0 ? found(ids[0] as string) : null;
    return Object.fromEntries(ids.map((id) => [id, found(id)]));
  }
}

/** Documents by the prefix of their ids. */
export class LazyListing {
  request: PartialRequest;
  #state;

  constructor(
    state: SessionState,
    prefix: string,
    options: StartingWithOptions,
    type: ObjectTypeDescriptor | undefined,
  ) {
    this.#state = state;
    this.request = { query: listing(prefix, options), reading: { type } };
  }

  result({ entities }: Found = NOTHING): Record<string, Entity> {
    const state = this.#state;
    // Tracked entities may not show their metadata; untracked ones do.
    const id = (entity: Entity): string =>
      state.unitOfWork.idOf(entity) ?? (entity as ServerDocument)["@metadata"]["@id"];
    return Object.fromEntries(loadable(state, entities).map((entity) => [id(entity), entity]));
  }
}

/** A request, or why it cannot be made. */
type Prepared = (PartialRequest & { error?: undefined }) | { error: unknown } | undefined;

/** Sends the requests of all lazy values as one, and gives each value its response. */
export async function send(state: SessionState, lazies: Lazy[]): Promise<void> {
  const requests: Prepared[] = [];
  for (const lazy of lazies) requests.push(await lazy.request().catch((error: unknown) => ({ error })));
  const asked = requests.filter((request): request is PartialRequest => !!request && !request.error);
  const responses: Fetched[] =
    asked.length > 0 ? await fetchAll(state, asked).catch((error: unknown) => unreadable(error, asked)) : [];
  lazies.forEach((lazy, at) => {
    const request = requests[at];
    lazy.accept(
      request?.error ? (request as { error: unknown }) : responses[asked.indexOf(request as PartialRequest)],
    );
  });
  for (const lazy of lazies) lazy.evaluate();
}

/** A response that cannot be read would come again: only a failure on the way is worth another request. */
function unreadable(error: unknown, asked: PartialRequest[]): { error: unknown }[] {
  if (error instanceof RavenEdgeError && error.code !== "BadAnswer") throw error;
  return asked.map(() => ({ error }));
}
