// Saves whose outcome is unknown: what they sent of each document, until the server's version of it is known.

import type { OwnMetadata } from "./snapshots.js";

/** What was sent of a document: its values, and the metadata of the app. */
export interface SentDocument {
  was: unknown;
  metadata: OwnMetadata | undefined;
}

export class UnknownOutcomes {
  /** By slot and by version of the batch. */
  #sent = new Map<number, Map<number, SentDocument>>();
  #forgotten: number[] = [];

  /** What was sent of a document, by version, in the order of versions. */
  of(slot: number): ReadonlyMap<number, SentDocument> | undefined {
    return this.#sent.get(slot);
  }

  add(slot: number, version: number, sent: SentDocument): void {
    this.#sent.set(slot, (this.#sent.get(slot) ?? new Map<number, SentDocument>()).set(version, sent));
  }

  /** The server's version is known, and the core knows that. */
  settle(slot: number): void {
    this.#sent.delete(slot);
  }

  /** The server's version is known, or no longer of interest; the core is notified with `takeForgotten`. */
  forget(slot: number): void {
    this.settle(slot);
    this.#forgotten.push(slot);
  }

  /** Slots that were forgotten since the last call. */
  takeForgotten(): Uint32Array {
    const forgotten = Uint32Array.from(this.#forgotten);
    this.#forgotten = [];
    return forgotten;
  }
}
