// Rows of a set: documents that are all on the device.

import { idKey } from "../common/id-key.js";
import type { OfflineSet, SetChange } from "../offline/offline-types.js";
import type { QueueOfStore } from "../offline/queue-of-store.js";
import type { SetHandle, TakeQueued } from "../offline/sets/set-handle.js";
import type { PendingDocument } from "./pending-changes.js";
import type { RowSource, RowSourceOptions } from "./row-source.js";
import { keptRows, keyOf, type Rows, rowOf, versionIn } from "./rows.js";

export class SetRows implements RowSource {
  readonly #options;
  readonly #set: OfflineSet;
  readonly #isPending;
  readonly #queue;
  /** Reads of the device follow each other, so that none writes older rows than the one before. */
  #last: Promise<unknown> = Promise.resolve();
  /** How many have not ended. */
  #reads = 0;
  /** What was queued last, if it was shown without reading it: by key whether it is a row of this collection. */
  #taken: { keys: ReadonlyMap<string, boolean>; revision: number } = { keys: new Map(), revision: -1 };
  /** Whether the set has been complete once. */
  #isThere = false;
  #isOver = false;

  constructor(options: RowSourceOptions, set: OfflineSet, isPending: (key: string) => boolean) {
    this.#options = options;
    this.#set = set;
    this.#isPending = isPending;
    this.#queue = options.store.offline as QueueOfStore;
    set.on("synced", this.#synced).on("error", this.#failed);
    (set as SetHandle).onTaken(this.#changed, this.#take);
    set.ready.then(() => {
      this.#isThere = true;
      return this.#readAll();
    });
  }

  async show(read: () => Promise<Rows>, keys: readonly string[]): Promise<void> {
    const isWritten = this.shows(keys) && keys.every((key) => this.#taken.keys.get(key));
    if (!isWritten) await this.#read(read);
  }

  pendingChanged(documents: readonly PendingDocument[]): void {
    const { store, rows, collection } = this.#options;
    const shown = documents.filter((each) => rows.has(idKey(each.id)) || each.collection === collection);
    if (this.shows(shown.map(({ id }) => idKey(id)))) return;
    const discarded = shown.filter(({ isDiscarded }) => isDiscarded);
    this.#read(async () => {
      const kept = await keptRows(
        store,
        shown.map(({ id }) => id),
      );
      // A new document that was given up is nowhere. Others that the device does not know now follow with the next comparison.
      for (const { id } of discarded) if (!kept.has(idKey(id))) kept.set(idKey(id), null);
      return kept;
    });
  }

  /** Shows what this page has queued, unless a read is under way, which may find newer rows. */
  readonly #take: TakeQueued = (documents) => {
    const { rows, collection } = this.#options;
    if (this.#reads > 0 || !this.#isThere) return false;
    const keys = new Map<string, boolean>();
    const own: Rows = new Map();
    for (const [key, { document, collection: made }] of documents) {
      const isOwn = rows.has(key) || made === collection;
      keys.set(key, isOwn);
      if (isOwn) own.set(key, document && rowOf(document));
    }
    try {
      this.#write(own);
    } catch (error) {
      // The change is queued all the same.
      this.#options.failed(error as Error);
      return false;
    }
    this.#taken = { keys, revision: this.#queue.revision };
    return true;
  };

  shows(keys: readonly string[]): boolean {
    const { keys: taken, revision } = this.#taken;
    return keys.every((key) => taken.has(key) && revision === this.#queue.revision);
  }

  stop(): void {
    this.#isOver = true;
    this.#set.off("change", this.#changed).off("synced", this.#synced).off("error", this.#failed);
  }

  readonly #changed = ({ added, changed, removed }: SetChange): void => {
    const documents = [...added, ...changed].map(rowOf);
    this.#read(async () => {
      const { store, rows } = this.#options;
      // What this page has changed itself is shown.
      const others = documents.filter((row) => versionIn(row) !== rows.versionOf(keyOf(row)));
      const kept = await keptRows(
        store,
        others.map(({ id }) => id),
      );
      for (const key of removed.map(idKey)) if (!this.#isPending(key)) kept.set(key, null);
      return kept;
    });
  };

  /** What sessions have loaded or created since is no change of the set. */
  readonly #synced = (): void => {
    this.#options.failed(undefined);
    this.#readAll();
  };

  readonly #failed = (error: Error): void => this.#options.failed(error);

  #read(read: () => Promise<Rows>): Promise<void> {
    return this.#next(async () => this.#write(await read()));
  }

  /** Reads all documents. */
  #readAll(): Promise<void> {
    return this.#next(async () => {
      const documents = await this.#set.documents();
      if (this.#isOver) return;
      const rows = documents.map(rowOf);
      this.#options.rows.replace(new Map(rows.map((row) => [keyOf(row), row])));
      if (this.#isThere) this.#options.ready();
    });
  }

  #write(rows: Rows): void {
    if (!this.#isOver) this.#options.rows.write(rows);
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#reads++;
    const done = this.#last
      .then(work)
      .catch((error) => this.#options.failed(error as Error))
      .finally(() => {
        this.#reads--;
      });
    this.#last = done;
    return done;
  }
}
