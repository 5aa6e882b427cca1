// Loads documents, and makes them entities of a session, which tracks them; listeners may convert them.

import type { IncludeCall } from "../common/arguments.js";
import { RavenEdgeError } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type {
  Entity,
  EntityMaker,
  EntityType,
  ObjectTypeDescriptor,
  ServerDocument,
} from "../documents/entity-types.js";
import { nameAttachments } from "../documents/listed-names.js";
import { idOf } from "../documents/snapshots/snapshot-values.js";
import type { LoadedEntities } from "../documents/unit-of-work.js";
import { explainedRead } from "../documents/unserializable.js";
import { loadedPart } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import { byIds } from "../wire/documents-request.js";
import { type InexactNumbers, load, type ResponseBody } from "./request-documents.js";

/** A conversion whose `afterConversionToEntity` listeners have not run yet. */
export interface ConversionEvent {
  session: SessionState["session"];
  id: string;
  entity: Entity;
  document: ServerDocument;
}

/** Makes the entity of a document, or what `make` gives; adds to `events` what listeners get. */
export function convert(
  state: SessionState,
  document: ServerDocument,
  type: ObjectTypeDescriptor | undefined,
  events: ConversionEvent[],
  make: (document: ServerDocument) => Entity = (document) => state.mapper.entity(document, type),
): Entity {
  const { session } = state;
  const id = document["@metadata"]["@id"];
  if (state.hasListener("beforeConversionToEntity")) {
    nameAttachments(document["@metadata"]);
    const event = { session, id, type: type as EntityType | undefined, document };
    state.emit("beforeConversionToEntity", event);
    document = event.document;
  }
  const entity = make(document);
  if (state.hasListener("afterConversionToEntity")) events.push({ session, id, entity, document });
  return entity;
}

/** How a response is read. */
export interface ReadOptions {
  /** The class of its documents, if the app names one. */
  type?: ObjectTypeDescriptor | undefined;
  /** Whether the session does not track them. */
  untracked?: boolean | undefined;
  /** What the load of these documents includes. */
  includes?: IncludeCall[] | undefined;
  /** Converts parts of documents; adds to `events` what listeners get. */
  project?(document: ServerDocument, events: ConversionEvent[]): unknown;
}

/** One of several requests. */
export interface PartialRequest {
  query?: string;
  headers?: Record<string, string>;
  /** Default: `docs`. */
  route?: string;
  body?: unknown;
  /** How the response is read. */
  reading?: ReadOptions | undefined;
}

/** The entities of a response; `null` for a document that does not exist. */
export interface FetchedEntities extends LoadedEntities {
  /** The members of the response beside its documents. */
  rest: Omit<ResponseBody, "Results" | "Includes">;
  error?: undefined;
}

/** One of several responses, or why it cannot be used. */
export type Fetched = FetchedEntities | { error: unknown; entities?: undefined; rest?: undefined };

/**
 * Loads entities by ids, which must be different, or by the query of a request; resolves with them in the order of the response.
 */
export async function fetchByIds(
  state: SessionState,
  parameters: string,
  reading: ReadOptions,
  ids?: string[],
): Promise<LoadedEntities> {
  const { route, body } = byIds(parameters, ids);
  const responses = await fetchResponses(state, route, body && JSON.stringify(body), [reading], 0, ids);
  return (responses[0] as FetchedEntities | undefined) ?? { entities: [] };
}

/** Sends requests; `readings` has one item per response. For `wait` see `load`. */
export async function fetchResponses(
  state: SessionState,
  route: string,
  body: string | undefined,
  readings: (ReadOptions | undefined)[],
  wait?: number,
  wanted?: string[],
): Promise<Fetched[]> {
  const { bodies, numbers } = await load(state, route, body, readings.length, wait, wanted);
  // Loaded before a request that includes more than documents.
  await loadedPart("capabilities")?.included(state, bodies, readings, wanted);
  const events: ConversionEvent[] = [];

  const responses = bodies.map((body, at): Fetched => {
    try {
      if (body instanceof RavenEdgeError) throw body;
      return explainedRead(body as Required<ResponseBody>, () =>
        adopt(state, body, readings[at] ?? {}, numbers, events, wanted),
      );
    } catch (error) {
      if (route !== "multi_get") throw error;
      return { error };
    }
  });
  // After the snapshots were made, so that changes by a listener count as changes of the entity.
  for (const event of events) state.emit("afterConversionToEntity", event);
  return responses;
}

function adopt(
  state: SessionState,
  { Results, Includes, ...rest }: ResponseBody,
  reading: ReadOptions,
  numbers: InexactNumbers,
  events: ConversionEvent[],
  wanted: string[] | undefined,
): FetchedEntities {
  const { unitOfWork, mapper } = state;
  const listens =
    state.hasListener("beforeConversionToEntity") || state.hasListener("afterConversionToEntity");
  const maker: EntityMaker = listens
    ? { entity: (document, type) => convert(state, document, type, events) }
    : mapper;
  const isTracked = !state.noTracking && !reading.untracked;
  const { entities, inOrder }: LoadedEntities = isTracked
    ? unitOfWork.loaded(Results, maker, reading.type, numbers, wanted)
    : { entities: Results.map((document) => (idOf(document) ? maker.entity(document, reading.type) : null)) };
  if (reading.project)
    Results.forEach((document, at) => {
      entities[at] ??= reading.project?.(document, events) as Entity;
    });
  // The class that the app named is for the requested documents only.
  if (isTracked && Includes) unitOfWork.loadedIncludes(Object.values(Includes), maker, numbers);
  return { entities, inOrder, rest };
}

/** Untracked entities of a response, by the keys of their ids. */
export function byKey(entities: (Entity | null)[]): Map<string, Entity> {
  return new Map(
    (entities.filter(Boolean) as ServerDocument[]).map((entity) => [
      idKey(entity["@metadata"]["@id"]),
      entity,
    ]),
  );
}
