// What a save has made: its response has one result for each command, in request order.

import { SAVE_LOST } from "../../gen/protocol.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { idKey, isFinal } from "../common/id-key.js";
import { updateMetadata } from "../documents/metadata.js";
import type { UnitOfWork } from "../documents/unit-of-work.js";
import { loadedPart } from "../runtime/load-part.js";
import {
  SessionAfterSaveChangesEventArgs,
  SessionBeforeDeleteEventArgs,
  SessionBeforeStoreEventArgs,
} from "../session/session-events.js";
import type { SessionState } from "../session/session-state.js";
import type { Batch } from "./batch.js";

/** What the server reports of a command. */
export interface CommandResult {
  Type?: string | undefined;
  PatchStatus?: string | undefined;
  /** The document of a deletion or a patch. */
  Id?: string | null | undefined;
  /** The document that was put, and what the server has of it. */
  "@id"?: string;
  "@change-vector"?: string;
  "@last-modified"?: string;
  "@collection"?: string;
  /** The document as a patch has left it. */
  ModifiedDocument?: object | null | undefined;
  ChangeVector?: string | undefined;
  LastModified?: string | undefined;
}

/** A response that fits its batch. */
export interface TakenResults {
  /** Those of the commands besides those about documents of the session; none if the response is not valid JSON. */
  results: CommandResult[];
  /** Slots whose ids the server has made. */
  made: number[];
  /** The batch was saved, but the response is not valid JSON. */
  error: RavenEdgeError | undefined;
  /** The whole response. */
  text: string;
}

/** Applies what a response says of documents. Either the whole response fits the batch, or nothing of it is used. */
export function takeOver(state: SessionState, batch: Batch, text: string): TakenResults {
  const { unitOfWork } = state;
  const { written } = batch;
  const { results, error } = read(text);
  if (results.length !== written.length || !areOf(unitOfWork, batch, results))
    fail("BadAnswer", "the response does not fit the request", {
      request: `POST ${state.store.path("bulk_docs")}`,
      failure: SAVE_LOST,
    });
  const made = unitOfWork.savedAll(written, results);
  const others = results.length - batch.commands.length;
  // Results that are not valid JSON are not applied to entities.
  return { made, error, text, results: error ? [] : results.slice(others) };
}

function read(text: string): { results: CommandResult[]; error?: RavenEdgeError } {
  try {
    return { results: resultsIn(text) };
  } catch (cause) {
    const error = new RavenEdgeError(
      "BadAnswer",
      `the patched document is not valid JSON: ${(cause as Error).message}`,
      { cause },
    );
    // Only responses to patches contain documents, and the part is loaded before patches are sent.
    const results = loadedPart("session")?.repairedResults(text) ?? [];
    return { results, error: Object.assign(error, { outcome: "saved" }) };
  }
}

export function resultsIn(text: string): CommandResult[] {
  const { Results } = JSON.parse(text) as { Results?: CommandResult[] };
  return Array.isArray(Results) ? Results : [];
}

/** Whether each result is about the document that was sent. */
function areOf(unitOfWork: UnitOfWork, { written, ids }: Batch, results: CommandResult[]): boolean {
  const { hasPending } = unitOfWork;
  for (let at = 0; at < written.length; at++) {
    const slot = written[at] as number;
    if (slot < 0) continue;
    const sent = ids[at] as string;
    const result = results[at] as CommandResult | null;
    const id = result?.["@id"];
    if (typeof id !== "string" || typeof result?.["@change-vector"] !== "string") return false;
    // Mostly it is the same text.
    if (id === sent && !hasPending && unitOfWork.at(slot) !== undefined) continue;
    if (!(isFinal(sent) ? idKey(id) === idKey(sent) : isMade(sent, id))) return false;
  }
  return true;
}

/** Whether the server can have made an id from what was sent: `users/7-A` from `users/`, `users/7` from `users|`, any from `""`. */
function isMade(sent: string, id: string): boolean {
  const prefix = sent.replace(/\|$/, "");
  return id.length > prefix.length && idKey(id).startsWith(idKey(prefix));
}

/** Events about documents of a save. */
const EVENTS = {
  beforeStore: SessionBeforeStoreEventArgs,
  afterSaveChanges: SessionAfterSaveChangesEventArgs,
  beforeDelete: SessionBeforeDeleteEventArgs,
};

/** Calls the listeners of an event for each of these documents. */
export function announce(state: SessionState, name: keyof typeof EVENTS, slots: Iterable<number>): void {
  if (!state.hasListener(name)) return;
  for (const slot of slots) {
    const entity = state.unitOfWork.at(slot);
    if (entity === undefined) continue;
    state.emit(name, new EVENTS[name](state.session, state.unitOfWork.idAt(slot), entity));
  }
}

/** Applies what was saved of a `batch`; without it: documents that an earlier save has written. */
export function finish(
  state: SessionState,
  slots: readonly number[],
  batch?: Batch,
  { made = [], results = [], text = "" }: Partial<TakenResults> = {},
): void {
  const { unitOfWork } = state;
  for (const slot of made) {
    const entity = unitOfWork.at(slot);
    if (entity !== undefined) state.showId(entity, unitOfWork.idAt(slot));
  }
  updateMetadata(unitOfWork, slots);
  for (const slot of batch?.deleted ?? []) unitOfWork.dropped(slot);
  state.forgetUnsaved();
  // Before listeners, which may throw. A save with other commands than deletions loads the part before it is sent.
  const written = loadedPart("session")?.followAll(state, batch?.commands ?? [], results, text);
  for (const { Id } of written ? [] : results.map<CommandResult>(Object)) {
    const slot = unitOfWork.slot(Id ?? "");
    if (slot >= 0) unitOfWork.dropped(slot);
  }
  announce(state, "afterSaveChanges", [...slots, ...(written ?? [])]);
}
