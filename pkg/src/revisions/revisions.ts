// Revisions in sessions, which are loaded when they are first used: `session.advanced.revisions`, includes, and what a save has made.

import { AnyThis } from "../common/any-this.js";
import { checkName, type IncludeCall, isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { isDate, isEngineError } from "../common/value-kinds.js";
import type { DocumentType, Entity, IMetadataDictionary, ServerDocument } from "../documents/entity-types.js";
import { utcText } from "../documents/mapping/date-format.js";
import { updateMetadata } from "../documents/metadata.js";
import type { Load } from "../loading/lazy-operations.js";
import { type ResponseBody, strange } from "../loading/request-documents.js";
import { type ConversionEvent, convert } from "../loading/track-documents.js";
import { quoted } from "../rql/names-and-parameters.js";
import { lazies } from "../runtime/stand-in.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";
import { type Parameter, query } from "../wire/query-string.js";
import { KeptRevisions } from "./kept-revisions.js";
import type {
  ForceRevisionStrategy,
  IRevisionsSessionOperations,
  SessionRevisionsMetadataOptions,
  SessionRevisionsOptions,
} from "./revision-types.js";

class SessionRevisions extends AnyThis {
  #state;

  constructor(state: SessionState) {
    super();
    this.#state = state;
  }

  get lazily(): IRevisionsSessionOperations["lazily"] {
    return lazies(this.#state, "revisions");
  }

  async getFor(id: string, options?: SessionRevisionsOptions<object>): Promise<unknown> {
    return this.#read(getFor(id, options));
  }

  async getMetadataFor(id: string, options?: SessionRevisionsMetadataOptions): Promise<unknown> {
    return this.#read(getMetadataFor(id, options));
  }

  async get(what: string | string[], second?: Date | DocumentType, third?: DocumentType): Promise<unknown> {
    return this.#read(get(this.#state, what, second, third));
  }

  async getCountFor(id: string): Promise<number> {
    const state = this.#state;
    if (!isText(id)) fail("InvalidArgument", "revisions.getCountFor takes the id of a document");
    state.use("getCountFor");
    state.count();
    const route = `revisions/count?${query([["id", id]])}`;
    const { text } = await state.ask({ route });
    return (JSON.parse(text) as { RevisionsCount: number }).RevisionsCount;
  }

  forceRevisionCreationFor(target: object | string, strategy: ForceRevisionStrategy = "Before"): void {
    const state = this.#state;
    checkName("strategy", strategy, ["None", "Before"]);
    if (!target) fail("InvalidArgument", "forceRevisionCreationFor takes an entity or an id");
    const id = isObject(target) ? state.unitOfWork.idAt(state.slot(target, "InvalidOperation")) : target;
    if (!isText(id)) fail("InvalidOperation", "the server makes the id of this document: save it first");
    KeptRevisions.of(state).force(id, strategy);
  }

  async #read(read: RevisionsRead): Promise<unknown> {
    const state = this.#state;
    state.use("get");
    if (read.known) return read.made(entitiesOf(state, read.known, read.type));
    state.count();
    const route = `revisions?${read.parameters}`;
    const { status, text } = await state.ask({ route });
    if (status === 404) return read.made([]);
    try {
      const { Results } = JSON.parse(text) as { Results: (ServerDocument | null)[] };
      return read.made(entitiesOf(state, Results, read.type));
    } catch (cause) {
      if (!isEngineError(cause, "SyntaxError", "TypeError")) throw cause;
      strange(state.store, "GET", route, cause);
    }
  }
}

function entitiesOf(
  state: SessionState,
  documents: readonly (ServerDocument | null)[],
  type: DocumentType | undefined,
): (Entity | null)[] {
  const events: ConversionEvent[] = [];
  const made = state.conventions.classOf(type);
  const entities = documents.map((document) =>
    // An included revision may be read again: each entity is an object of its own.
    document ? convert(state, structuredClone(document), made, events) : null,
  );
  for (const event of events) state.emit("afterConversionToEntity", event);
  return entities;
}

export const of = (state: SessionState): SessionRevisions => new SessionRevisions(state);

/** What a lazy value asks for, and what it makes of the response. */
export function lazy(state: SessionState, member: string, given: unknown[]): Load {
  const reads: Record<string, (...given: never[]) => RevisionsRead> = {
    getFor,
    getMetadataFor,
    get: (...more: [string, Date?, DocumentType?]) => get(state, ...more),
  };
  const read = reads[member] ?? fail("InvalidArgument", `there is no revisions.lazily.${member}`);
  const { known, parameters, type, made } = read(...(given as never[]));
  const reading = { type: state.conventions.classOf(type), untracked: true };
  return {
    request: known ? undefined : { route: "revisions", query: parameters, reading },
    result: (found) => made(known ? entitiesOf(state, known, type) : (found?.entities ?? [])),
  };
}

/** The path of a change vector in documents, or a time as text. */
function included([, given]: IncludeCall): string {
  if (isDate(given)) return utcText(given);
  if (typeof given === "string" && given.trim()) return given;
  return fail("InvalidArgument", "includeRevisions takes the path of a change vector, or a Date");
}

export function parameters(calls: readonly IncludeCall[]): Parameter[] {
  return calls.map((call) => [isDate(call[1]) ? "revisionsBefore" : "revisions", included(call)]);
}

export function rql(call: IncludeCall): string[] {
  return [`revisions(${quoted(included(call))})`];
}

export function include(state: SessionState, body: ResponseBody): void {
  KeptRevisions.of(state).addIncluded(body);
}

/** The result of a command that makes a revision. */
interface ForceRevisionResult extends CommandResult {
  RevisionCreated?: boolean;
}

/** A revision was made: the document has another change vector now. */
export function applyResult(state: SessionState, result: ForceRevisionResult, command: ICommandData): void {
  KeptRevisions.of(state).saved(command);
  const { "@id": id = result.Id, "@change-vector": vector } = result;
  // Without an id there was a revision already.
  if (!id) return;
  const slot = state.unitOfWork.slot(id);
  if (slot < 0 || !vector || !result.RevisionCreated) return;
  state.unitOfWork.saved(slot, result);
  updateMetadata(state.unitOfWork, [slot]);
}

interface RevisionsRead {
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
  return { id, start, pageSize };
}

function getFor(id: string, options: SessionRevisionsOptions<object> | null = {}): RevisionsRead {
  const { documentType: type } = options ?? {};
  return { parameters: query(Object.entries(page(id, options ?? {}))), type, made: (entities) => entities };
}

function getMetadataFor(id: string, options: SessionRevisionsOptions<object> | null = {}): RevisionsRead {
  const parameters = query(Object.entries({ ...page(id, options ?? {}), metadataOnly: true }));
  const made = (entities: readonly (Entity | null)[]) =>
    entities.map((entity) => entity?.["@metadata"] as IMetadataDictionary);
  return { parameters, type: Object as DocumentType, made };
}

/** By change vector, by several, or by id and date. */
function get(
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
    return {
      known: known === undefined ? undefined : [known],
      parameters: query(Object.entries({ id, before: utcText(second) })),
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
