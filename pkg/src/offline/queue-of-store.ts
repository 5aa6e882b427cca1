// What sessions call of the queue on the device. Types alone.

import type { LoadedBodies } from "../loading/request-documents.js";
import type { KeepBatch } from "../saving/save.js";
import type { OfflineReading } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import type { OfflineQueue, QueuedChange } from "./offline-types.js";

export interface QueueOfStore extends OfflineQueue {
  /** Keeps the changes of a session on the device; `save` makes its batch. */
  queue(state: SessionState, save: (keep: KeepBatch) => Promise<void>): Promise<QueuedChange>;
  /** Grows by one with each transaction of a tab that changes the queue; -1: this page does not know what the device has. */
  readonly revision: number;
  /** What a session is shown of a read: the response to `ask`, or what is kept, with the pending changes laid over it. */
  lay(
    ask: () => Promise<LoadedBodies>,
    wanted: string[] | undefined,
    state: SessionState,
    route: string,
    body: string | undefined,
    isFresh: boolean | undefined,
  ): Promise<LoadedBodies>;
  /** Gives the session the change vectors of its documents that the queue has saved. */
  renewVectors(state: SessionState): void;
  /** Called before a save is sent; the result gets the text of the response. */
  beforeSave(body: string): Promise<((response: string) => void) | undefined>;
  /** Throws for a way of reading that needs kept documents, if none are kept. */
  check(reading: OfflineReading): void;
  /** When the server had the document as the entity was read from the device; `null`: it was not. */
  keptAt(state: SessionState, entity: object): Date | null;
}
