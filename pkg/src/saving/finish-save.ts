// Applies a saved batch to the session.

import { updateMetadata } from "../documents/metadata.js";
import { here } from "../runtime/load-part.js";
import { SessionAfterSaveChangesEventArgs } from "../session/document-event-arguments.js";
import type { SessionEvents } from "../session/session-event-types.js";
import type { SessionState } from "../session/session-state.js";
import type { SessionOfEvents } from "../session/session-types.js";
import type { ICommandData } from "./batch-commands.js";
import type { CommandResult, TakenResults } from "./batch-response.js";
import type { Batch } from "./seal-batch.js";

/** Events about documents of a save. */
type DocumentEventName = "beforeStore" | "afterSaveChanges" | "beforeDelete";
type DocumentEventClass = new (session: SessionOfEvents, documentId: string, entity: object) => object;

/** Calls the listeners of an event for each of these documents. */
export function announce<Name extends DocumentEventName>(
  state: SessionState,
  name: Name,
  slots: Iterable<number>,
  Event: DocumentEventClass = SessionAfterSaveChangesEventArgs,
): void {
  if (!state.hasListener(name)) return;
  for (const slot of slots) {
    const entity = state.tracker.at(slot);
    if (entity !== undefined)
      state.emit(name, new Event(state.session, state.tracker.idAt(slot), entity) as SessionEvents[Name]);
  }
}

/** Applies what was saved of a `batch`; without it: documents that an earlier save has written. */
export function finish(
  state: SessionState,
  slots: readonly number[],
  deleted: Iterable<number> = [],
  batch?: Batch,
  { made = [], results = [], text = "" }: Partial<TakenResults> = {},
): void {
  const { tracker } = state;
  for (const slot of made) {
    const entity = tracker.at(slot);
    if (entity !== undefined) state.show(entity, tracker.idAt(slot));
  }
  updateMetadata(state, slots);
  for (const slot of deleted) tracker.drop(slot);
  if (batch) state.removeDeferred(batch.list, batch.count);
  state.forgetUnsaved();
  // Before listeners, which may throw.
  const written = batch ? follow(state, batch.commands, results, text) : [];
  announce(state, "afterSaveChanges", [...slots, ...written]);
}

/**
 * Applies the results of deferred commands to the session, without the code for commands other than deletions. `text`: the whole
 * response. Returns the slots of the documents that were written.
 */
function follow(
  state: SessionState,
  commands: readonly ICommandData[],
  results: CommandResult[],
  text: string,
): number[] {
  const { tracker } = state;
  const part = here("session");
  // A save with other commands than deletions loads the part before it is sent.
  if (part) return part.followAll(state, commands, results, text);
  for (const { Id } of results.map<CommandResult>(Object)) {
    const slot = tracker.slot(Id ?? "");
    if (slot >= 0) tracker.drop(slot);
  }
  return [];
}
