// Saves whose outcome is unknown: the sent values of each document, until the server's version of the document is known.

import type { OwnMetadata } from "./snapshots/snapshots.js";

/** The values of a document that was sent, and its metadata of the app. */
export interface SentDocument {
  was: unknown;
  metadata: OwnMetadata | undefined;
}

export class UnknownOutcomes {
  /** The sent documents, by slot and by version of the batch. */
  #sent = new Map<number, Map<number, SentDocument>>();
  #forgotten: number[] = [];

  /** The sent values of a document, by version of the batch, in the order of versions. */
  of(slot: number): ReadonlyMap<number, SentDocument> | undefined {
    return this.#sent.get(slot);
  }

  add(slot: number, version: number, sent: SentDocument): void {
    this.#sent.set(slot, (this.#sent.get(slot) ?? new Map<number, SentDocument>()).set(version, sent));
  }

  /** The server's version is known, and the core has been notified. */
  remove(slot: number): void {
    this.#sent.delete(slot);
  }

  /** The server's version is known, or no longer of interest; the core is notified with `takeForgotten`. */
  forget(slot: number): void {
    this.remove(slot);
    this.#forgotten.push(slot);
  }

  /** Slots that were forgotten since the last call. */
  takeForgotten(): Uint32Array {
    const forgotten = Uint32Array.from(this.#forgotten);
    this.#forgotten = [];
    return forgotten;
  }
}
