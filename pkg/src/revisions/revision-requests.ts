// The requests for revisions, and what their responses become.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { isDate } from "../common/value-kinds.js";
import type { DocumentType, Entity, IMetadataDictionary, ServerDocument } from "../documents/entity-types.js";
import { utcText } from "../documents/mapping/date-format.js";
import type { PartialRequest } from "../loading/track-documents.js";
import type { SessionState } from "../session/session-state.js";
import { query } from "../wire/query-string.js";
import { KeptRevisions } from "./kept-revisions.js";
import type { SessionRevisionsOptions } from "./revision-types.js";

/** A read of revisions. */
export interface RevisionsRead {
  /** Revisions that were included: no request is needed. */
  readonly known?: readonly (ServerDocument | null)[] | undefined;
  readonly parameters: string;
  readonly type: DocumentType | undefined;
  /** Makes the result from the entities, in the order of the response. */
  made(entities: readonly (Entity | null)[]): unknown;
}

/** As in npm `ravendb`. */
const PAGE = 25;

function assertId(id: unknown): void {
  if (!isText(id)) fail("InvalidArgument", "revisions are those of a document: the id is missing");
}

function page(id: string, { start = 0, pageSize = PAGE }: SessionRevisionsOptions<object>) {
  assertId(id);
  return [
    ["id", id],
    ["start", start],
    ["pageSize", pageSize],
  ] as const;
}

export function getFor(id: string, options: SessionRevisionsOptions<object> | null = {}): RevisionsRead {
  const { documentType: type } = options ?? {};
  return { parameters: query(page(id, options ?? {})), type, made: (entities) => entities };
}

export function getMetadataFor(
  id: string,
  options: SessionRevisionsOptions<object> | null = {},
): RevisionsRead {
  const parameters = query([...page(id, options ?? {}), ["metadataOnly", true]]);
  const made = (entities: readonly (Entity | null)[]) =>
    entities.map((entity) => entity?.["@metadata"] as IMetadataDictionary);
  return { parameters, type: Object as DocumentType, made };
}

/** By change vector, by several, or by id and date. */
export function get(
  state: SessionState,
  what: string | string[],
  second?: Date | DocumentType,
  third?: DocumentType,
): RevisionsRead {
  const kept = KeptRevisions.of(state);
  if (isDate(second)) {
    assertId(what);
    const id = what as string;
    const known = kept.before(id, second);
    const before = utcText(second);
    return {
      known: known === undefined ? undefined : [known],
      parameters: query([
        ["id", id],
        ["before", before],
      ]),
      type: third,
      made: ([entity]) => entity ?? null,
    };
  }
  const isList = Array.isArray(what);
  const vectors = [what].flat();
  if (!vectors.every(isText))
    fail("InvalidArgument", "revisions.get takes change vectors, or an id and a date");
  return {
    known: kept.withVectors(vectors),
    parameters: query(vectors.map((vector) => ["changeVector", vector] as const)),
    type: second,
    made: (entities) =>
      isList
        ? Object.fromEntries(vectors.map((vector, at) => [vector, entities[at] ?? null]))
        : (entities[0] ?? null),
  };
}

/** How a lazy value, or a request of its own, asks. */
export function requestOf(state: SessionState, { parameters, type }: RevisionsRead): PartialRequest {
  const reading = { type: state.conventions.classOf(type), untracked: true };
  return { route: "revisions", query: parameters, reading };
}
