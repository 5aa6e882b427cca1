// A set as a component shows it: its documents, read again with each change, and what is said of them.

import { fail, type RavenEdgeError } from "../common/error.js";
import type { OfflineQueue, OfflineSet, SetState } from "../offline/offline-types.js";
import type { DocumentStore } from "../store/store-types.js";

/** What {@link useSet} shows. Until the device was read, `data` is `undefined`. */
export interface ShownSet<Document extends object = object> extends SetState {
  /** All documents of the set, in no order, with what waits on this device. */
  readonly data: readonly Document[] | undefined;
  readonly error: RavenEdgeError | undefined;
}

/** Reads a set now and with each of its changes, once at a time; returns what ends that. */
export function followSet<Document extends object>(
  store: DocumentStore,
  name: string,
  show: (next: Partial<ShownSet<Document>>) => void,
): () => void {
  // `undefined` if the store has no option `offline`.
  const queue: OfflineQueue | undefined = store.offline;
  let set: OfflineSet;
  try {
    if (!queue) fail("InvalidOperation", "the store has no option `offline`, so there are no sets");
    set = queue.set(name);
  } catch (error) {
    show({ error: error as RavenEdgeError });
    return () => {};
  }
  let isOver = false;
  let isReading = false;
  let isDue = false;
  let seen: Pick<SetState, "isComplete" | "syncedAt"> | undefined;
  const read = async () => {
    isDue = true;
    if (isReading) return;
    isReading = true;
    while (isDue && !isOver) {
      isDue = false;
      // As of before: documents are never older than what is said of them.
      const before = { isComplete: set.isComplete, syncedAt: set.syncedAt };
      seen = before;
      const next = await set.documents<Document>().then(
        (data) => ({ data, ...before, error: set.error }),
        (error: RavenEdgeError) => ({ error }),
      );
      const { progress } = set;
      if (!isOver) show({ ...next, progress, ...(!set.isComplete && { isComplete: false }) });
    }
    isReading = false;
  };
  const stateChanged = ({ progress, error, isComplete, syncedAt }: SetState): void => {
    // What is complete is shown with its documents.
    show({ progress, error, ...(!isComplete && { isComplete }) });
    // While it is not complete, documents may come and go without an event of their own: at a sign-out.
    const isOther = !isComplete || !seen?.isComplete || syncedAt?.getTime() !== seen.syncedAt?.getTime();
    if (isOther) read();
  };
  set.on("change", read).on("state", stateChanged);
  read();
  return () => {
    isOver = true;
    set.off("change", read).off("state", stateChanged);
  };
}
