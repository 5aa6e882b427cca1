// The response to a save: one result for each command, in request order.

import { SAVE_LOST } from "../../gen/protocol.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { here } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";

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

/** The result of a document of the session that was put. */
type PutResult = CommandResult &
  Required<Pick<CommandResult, "@id" | "@change-vector" | "@last-modified" | "@collection">>;

/** A response that fits its batch. */
export interface TakenResults {
  results: CommandResult[];
  /** Slots whose ids the server has made. */
  made: number[];
  /** The batch was saved, but the response is not valid JSON. */
  error: RavenEdgeError | undefined;
  /** The whole response. */
  text: string;
}

/**
 * Applies what the response says of documents. `items`: the slot of each command, in request order; -1 for commands about documents
 * that the session does not track. Either the whole response fits the batch, or nothing of it is used.
 */
export function takeOver(state: SessionState, items: number[], text: string): TakenResults {
  const { tracker, sent } = state;
  const { results, error } = read(text);
  if (results.length !== items.length || !areOf(state, items, results))
    fail("BadAnswer", "the response does not fit the request", {
      request: `POST ${state.store.path("bulk_docs")}`,
      failure: SAVE_LOST,
    });
  const made: number[] = [];
  for (let at = 0; at < items.length; at++) {
    const slot = items[at] as number;
    if (isForeign(tracker, slot)) continue;
    tracker.versions.read(slot, results[at] as PutResult);
    if (tracker.isNamed(slot)) continue;
    tracker.name(slot, (results[at] as PutResult)["@id"]);
    made.push(slot);
  }
  sent.accept();
  return { results, made, error, text };
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
    const results = here("session")?.repairedResults(text) ?? [];
    return { results, error: Object.assign(error, { outcome: "saved" }) };
  }
}

export function resultsIn(text: string): CommandResult[] {
  const { Results } = JSON.parse(text) as { Results?: CommandResult[] };
  return Array.isArray(Results) ? Results : [];
}

/** Whether a command is about no document of the session: the document may have been evicted meanwhile. */
function isForeign(tracker: SessionState["tracker"], slot: number): boolean {
  return slot < 0 || tracker.at(slot) === undefined;
}

function areOf(state: SessionState, items: number[], results: CommandResult[]): boolean {
  const { tracker } = state;
  for (let at = 0; at < items.length; at++) {
    const slot = items[at] as number;
    const result = results[at] as CommandResult | null;
    // Mostly it is the same text.
    if (slot >= 0 && result !== null && result["@id"] === tracker.idAt(slot)) {
      if (typeof result["@change-vector"] === "string" && tracker.isNamed(slot)) continue;
    }
    if (!isOf(state, slot, result)) return false;
  }
  return true;
}

/** Whether a result is about the document of a slot. */
function isOf(state: SessionState, slot: number, result: CommandResult | null): boolean {
  const { tracker } = state;
  if (isForeign(tracker, slot)) return true;
  const { "@id": id, "@change-vector": vector } = result ?? {};
  if (typeof id !== "string" || typeof vector !== "string") return false;
  const sent = tracker.idAt(slot);
  if (tracker.isNamed(slot)) return id === sent || idKey(id) === idKey(sent);
  return isMade(sent, id);
}

/** Whether the server can have made an id from what was sent: `users/7-A` from `users/`, `users/7` from `users|`, any from `""`. */
function isMade(sent: string, id: string): boolean {
  const prefix = sent.replace(/\|$/, "");
  return id.length > prefix.length && idKey(id).startsWith(idKey(prefix));
}
