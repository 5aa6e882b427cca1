// Applies a saved batch to the session.

import { updateMetadata } from "../documents/metadata.js";
import { DocumentEvent } from "../session/document-event-arguments.js";
import type { SessionEvents } from "../session/session-event-types.js";
import type { SessionState } from "../session/session-state.js";
import type { SessionOfEvents } from "../session/session-types.js";
import type { ICommandData } from "./batch-commands.js";
import type { CommandResult } from "./batch-response.js";
import { follow } from "./deferred-results.js";

/** The commands of a batch besides those about documents of the session; all absent until the batch is written. */
export interface SentCommands {
  all?: readonly ICommandData[];
  /** The deferred ones are the first `count` of this list. */
  list?: readonly ICommandData[];
  count?: number;
}

/** A batch as it was sent. */
export interface SentBatch {
  /** Slots of the documents that it writes. */
  slots: number[];
  /** Slots of the documents that it deletes. */
  deleted: Set<number>;
  commands: SentCommands;
}

/** Events about documents of a save. */
type DocumentEventName = "beforeStore" | "afterSaveChanges" | "beforeDelete";
type DocumentEventClass = new (session: SessionOfEvents, documentId: string, entity: object) => object;

/** Calls the listeners of an event for each of these documents. */
export function announce<Name extends DocumentEventName>(
  state: SessionState,
  name: Name,
  slots: Iterable<number>,
  Event: DocumentEventClass = DocumentEvent,
): void {
  if (!state.hasListener(name)) return;
  for (const slot of slots) {
    const entity = state.tracker.at(slot);
    if (entity !== undefined)
      state.emit(name, new Event(state.session, state.tracker.idAt(slot), entity) as SessionEvents[Name]);
  }
}

/** `made`: slots whose ids the server has made; `results`, `text`: see `follow`. */
export function finish(
  state: SessionState,
  slots: number[],
  deleted: Iterable<number>,
  { all = [], list, count }: SentCommands = {},
  made: number[] = [],
  results: CommandResult[] = [],
  text = "",
): void {
  const { tracker } = state;
  for (const slot of made) {
    const entity = tracker.at(slot);
    if (entity !== undefined) state.show(entity, tracker.idAt(slot));
  }
  updateMetadata(state, slots);
  for (const slot of deleted) tracker.drop(slot);
  state.removeDeferred(list, count);
  state.forgetUnsaved();
  // Before listeners, which may throw.
  const written = follow(state, all, results, text);
  announce(state, "afterSaveChanges", [...slots, ...written]);
}
