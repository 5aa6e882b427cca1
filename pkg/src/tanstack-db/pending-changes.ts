// The changes that wait on the device, by document.

import { idKey } from "../common/id-key.js";
import type { OfflineQueue, QueuedChange } from "../offline/offline-types.js";
import type { QueueOfStore } from "../offline/queue-of-store.js";

/** A document whose pending changes are others than before. */
export interface PendingDocument {
  id: string;
  collection: string;
  /** Whether its changes were given up, and none is left. */
  isDiscarded: boolean;
}

/** The pending changes of a document. */
interface Waiting {
  id: string;
  collection: string;
  changes: QueuedChange[];
}

/** Whether a collection shows what this page has made of the documents with these keys. */
type Shows = (keys: readonly string[]) => boolean;

/** The collections with subscribers, by their queues. */
const followed = new WeakMap<object, Map<PendingChanges, Shows>>();

export class PendingChanges {
  readonly #queue;
  #waiting = new Map<string, Waiting>();
  /** Of each document what its changes were when they were read last. */
  #states = new Map<string, string>();
  /** The revision of the queue that is known here; -1: none. */
  #revision = -1;

  constructor(queue: OfflineQueue | undefined) {
    this.#queue = queue as QueueOfStore | undefined;
  }

  /** The changes of a document, oldest first. */
  of(id: string): readonly QueuedChange[] {
    return this.#waiting.get(idKey(id))?.changes ?? [];
  }

  /** Knows the changes that other collections have queued without reading them, until the result is called. */
  follow(shows: Shows): () => void {
    if (!this.#queue) return () => {};
    const all = followed.get(this.#queue) ?? new Map<PendingChanges, Shows>();
    followed.set(this.#queue, all.set(this, shows));
    return () => all.delete(this);
  }

  /** A change of this page, whose rows are shown. */
  added(change: QueuedChange): void {
    // A device without room: it was sent at once.
    if (change.state === "saved" || !this.#queue) return;
    const keys = change.documents.map(idKey);
    this.#add(change);
    for (const [other, shows] of followed.get(this.#queue) ?? [])
      if (other !== this && shows(keys)) other.#add(change);
  }

  #add(change: QueuedChange): void {
    byDocument([change], this.#waiting);
    for (const id of change.documents) this.#states.set(idKey(id), stateOf(this.of(id)));
    if (this.#revision >= 0 && this.#queue?.revision === this.#revision + 1) this.#revision++;
  }

  /** Reads the changes; returns the documents that are concerned. */
  async refresh(): Promise<PendingDocument[]> {
    if (this.#revision >= 0 && this.#queue?.revision === this.#revision) return [];
    const changes = (await this.#queue?.changes()) ?? [];
    this.#revision = this.#queue?.revision ?? -1;
    const before = this.#waiting;
    const states = this.#states;
    this.#waiting = byDocument(changes);
    this.#states = new Map([...this.#waiting].map(([key, { changes }]) => [key, stateOf(changes)]));
    const documents = new Map([...before, ...this.#waiting]);
    return [...documents]
      .filter(([key]) => states.get(key) !== this.#states.get(key))
      .map(([key, { id, collection, changes }]) => ({
        id,
        collection,
        isDiscarded: !this.#waiting.has(key) && changes.every(({ state }) => state === "discarded"),
      }));
  }
}

function byDocument(
  changes: readonly QueuedChange[],
  waiting: Map<string, Waiting> = new Map(),
): Map<string, Waiting> {
  for (const change of changes)
    for (const { id, collection } of change.commands) {
      const key = idKey(id);
      const found = waiting.get(key) ?? { id, collection, changes: [] };
      if (!found.changes.includes(change)) found.changes.push(change);
      waiting.set(key, found);
    }
  return waiting;
}

/** A document in a request has the same text as before. */
const stateOf = (changes: readonly QueuedChange[]): string =>
  changes.map(({ id, state }) => `${id} ${state === "sending" ? "queued" : state}`).join();
