// Rows of a set: documents that are all on the device.

import { idKey } from "../common/id-key.js";
import type { OfflineSet, SetChange } from "../offline/offline-types.js";
import type { QueueOfStore } from "../offline/queue-of-store.js";
import type { SetHandle, TakeQueued } from "../offline/sets/set-handle.js";
import type { PendingDocument } from "./pending-changes.js";
import type { RowSource, RowSourceOptions } from "./row-source.js";
import { keptRows, keyOf, type Rows, rowOf, versionIn } from "./rows.js";

/** Reads rows from now on; `isPending`: whether changes of the document with this key wait. */
export function setRows(
  options: RowSourceOptions,
  set: OfflineSet,
  isPending: (key: string) => boolean,
): RowSource {
  const { store, rows, collection, ready, failed } = options;
  const queue = store.offline as QueueOfStore;
  /** Reads of the device follow each other, so that none writes older rows than the one before. */
  let last: Promise<unknown> = Promise.resolve();
  /** How many have not ended. */
  let reads = 0;
  /** What was queued last, if it was shown without reading it: by key whether it is a row of this collection. */
  let taken: ReadonlyMap<string, boolean> = new Map();
  let takenRevision = -1;
  /** Whether the set has been complete once. */
  let isThere = false;
  let isOver = false;

  set.on("synced", synced).on("error", failed);
  (set as SetHandle).onTaken(changed, take);
  set.ready.then(() => {
    isThere = true;
    return readAll();
  });
  return { show, shows, pendingChanged, stop };

  async function show(read: () => Promise<Rows>, keys: readonly string[]): Promise<void> {
    const isWritten = shows(keys) && keys.every((key) => taken.get(key));
    if (!isWritten) await readRows(read);
  }

  function shows(keys: readonly string[]): boolean {
    return keys.every((key) => taken.has(key) && takenRevision === queue.revision);
  }

  function pendingChanged(documents: readonly PendingDocument[]): void {
    const shown = documents.filter((each) => rows.has(idKey(each.id)) || each.collection === collection);
    const ids = shown.map(({ id }) => id);
    if (shows(ids.map(idKey))) return;
    const discarded = shown.filter(({ isDiscarded }) => isDiscarded);
    readRows(async () => {
      const kept = await keptRows(store, ids);
      // A new document that was given up is nowhere. Others that the device does not know now follow with the next comparison.
      for (const { id } of discarded) if (!kept.has(idKey(id))) kept.set(idKey(id), null);
      return kept;
    });
  }

  function stop(): void {
    isOver = true;
    set.off("change", changed).off("synced", synced).off("error", failed);
  }

  /** Shows what this page has queued, unless a read is under way, which may find newer rows. */
  function take(documents: Parameters<TakeQueued>[0]): boolean {
    if (reads > 0 || !isThere) return false;
    const keys = new Map<string, boolean>();
    const own: Rows = new Map();
    for (const [key, { document, collection: made }] of documents) {
      const isOwn = rows.has(key) || made === collection;
      keys.set(key, isOwn);
      if (isOwn) own.set(key, document && rowOf(document));
    }
    try {
      write(own);
    } catch (error) {
      // The change is queued all the same.
      failed(error as Error);
      return false;
    }
    taken = keys;
    takenRevision = queue.revision;
    return true;
  }

  function changed({ added, changed, removed }: SetChange): void {
    const documents = [...added, ...changed].map(rowOf);
    readRows(async () => {
      // What this page has changed itself is shown.
      const others = documents.filter((row) => versionIn(row) !== rows.versionOf(keyOf(row)));
      const kept = await keptRows(
        store,
        others.map(({ id }) => id),
      );
      for (const key of removed.map(idKey)) if (!isPending(key)) kept.set(key, null);
      return kept;
    });
  }

  /** What sessions have loaded or created since is no change of the set. */
  function synced(): void {
    failed(undefined);
    readAll();
  }

  function readRows(read: () => Promise<Rows>): Promise<void> {
    return next(async () => write(await read()));
  }

  /** Reads all documents. */
  function readAll(): Promise<void> {
    return next(async () => {
      const documents = await set.documents();
      if (isOver) return;
      const all = documents.map(rowOf);
      rows.replace(new Map(all.map((row) => [keyOf(row), row])));
      if (isThere) ready();
    });
  }

  function write(written: Rows): void {
    if (!isOver) rows.write(written);
  }

  function next(work: () => Promise<void>): Promise<void> {
    reads++;
    const done = last
      .then(work)
      .catch(failed)
      .finally(() => {
        reads--;
      });
    last = done;
    return done;
  }
}
