// The response to a save: one result for each command, in request order.

import { SAVE_LOST } from "../../gen/protocol.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { idKey, isFinal } from "../common/id-key.js";
import type { DocumentTracker } from "../documents/document-tracker.js";
import { here } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { Batch } from "./seal-batch.js";

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
  /** Those of the commands besides those about documents of the session; none if the response is not valid JSON. */
  results: CommandResult[];
  /** Slots whose ids the server has made. */
  made: number[];
  /** The batch was saved, but the response is not valid JSON. */
  error: RavenEdgeError | undefined;
  /** The whole response. */
  text: string;
}

/** Applies what the response says of documents. Either the whole response fits the batch, or nothing of it is used. */
export function takeOver(state: SessionState, batch: Batch, text: string): TakenResults {
  const { tracker, sent } = state;
  const { items } = batch;
  const { results, error } = read(text);
  if (results.length !== items.length || !areOf(tracker, batch, results))
    fail("BadAnswer", "the response does not fit the request", {
      request: `POST ${state.store.path("bulk_docs")}`,
      failure: SAVE_LOST,
    });
  const made: number[] = [];
  for (let at = 0; at < items.length; at++) {
    const slot = items[at] as number;
    // The document may have been evicted meanwhile.
    if (slot < 0 || tracker.at(slot) === undefined) continue;
    tracker.versions.read(slot, results[at] as PutResult);
    if (tracker.isNamed(slot)) continue;
    tracker.name(slot, (results[at] as PutResult)["@id"]);
    made.push(slot);
  }
  sent.accept();
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
    const results = here("session")?.repairedResults(text) ?? [];
    return { results, error: Object.assign(error, { outcome: "saved" }) };
  }
}

export function resultsIn(text: string): CommandResult[] {
  const { Results } = JSON.parse(text) as { Results?: CommandResult[] };
  return Array.isArray(Results) ? Results : [];
}

function areOf(tracker: DocumentTracker, { items, ids }: Batch, results: CommandResult[]): boolean {
  for (let at = 0; at < items.length; at++) {
    const slot = items[at] as number;
    if (slot < 0) continue;
    const id = ids[at] as string;
    const result = results[at] as CommandResult | null;
    // Mostly it is the same text.
    if (result !== null && result["@id"] === id && tracker.isNamed(slot)) {
      if (typeof result["@change-vector"] === "string") continue;
    }
    if (!isOf(id, result)) return false;
  }
  return true;
}

/** Whether a result is about the document that was sent under an id. */
function isOf(sent: string, result: CommandResult | null): boolean {
  const { "@id": id, "@change-vector": vector } = result ?? {};
  if (typeof id !== "string" || typeof vector !== "string") return false;
  return isFinal(sent) ? idKey(id) === idKey(sent) : isMade(sent, id);
}

/** Whether the server can have made an id from what was sent: `users/7-A` from `users/`, `users/7` from `users|`, any from `""`. */
function isMade(sent: string, id: string): boolean {
  const prefix = sent.replace(/\|$/, "");
  return id.length > prefix.length && idKey(id).startsWith(idKey(prefix));
}
