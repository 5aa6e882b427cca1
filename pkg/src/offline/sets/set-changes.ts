// Follows the changes of a set's collection: each is a reason to compare soon, or to load some documents, and not more often than the
// server can bear.

import type { RavenEdgeError } from "../../common/error.js";
import type { DocumentChange } from "../../live/live-types.js";
import type { StoreBase } from "../../store/store.js";

/** The pause before a comparison, in milliseconds, half of it random: many devices hear of one change. */
const PAUSE = 500;
/** The pause after a comparison, in durations of that comparison, without the random part. */
const REST = 10;

/** Change vectors of changed documents, by their ids. */
export type Changed = ReadonlyMap<string, string>;

const jittered = (pause: number): number => pause * (0.5 + Math.random() / 2);

export type SetChanges = ReturnType<typeof followChanges>;

/**
 * `due` gets all that has changed, or nothing if that is not known: a comparison is due. `refused` is called if the gateway does not
 * permit it; failed connections are tried again.
 */
export function followChanges(
  store: StoreBase,
  collection: string,
  due: (changed: Changed | undefined) => void,
  refused: (error: RavenEdgeError) => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next comparison may begin. */
  let next = 0;
  let versions = new Map<string, string>();
  /** Whether something may have changed that is not among them. */
  let isMore = false;
  let isRefused = false;

  const changed = ({ type, id, changeVector }: Partial<DocumentChange> = {}) => {
    if (id !== undefined && changeVector && type === "Put") versions.set(id, changeVector);
    else isMore = true;
    timer ??= setTimeout(
      () => {
        timer = undefined;
        const all = isMore ? undefined : versions;
        versions = new Map();
        isMore = false;
        due(all);
      },
      Math.max(jittered(PAUSE), next - performance.now()),
    );
  };
  const subscribed = () => changed();
  const failed = (error: Error) => {
    if (isRefused || (error as RavenEdgeError).status !== 403) return;
    isRefused = true;
    refused(error as RavenEdgeError);
  };
  const observable = store.changes().forDocumentsInCollection(collection);
  // What was changed before the server has confirmed, was not told.
  observable.on("data", changed).on("subscribed", subscribed).on("error", failed);
  return {
    /** A comparison has taken so many milliseconds. */
    compared(millis: number): void {
      next = performance.now() + REST * millis + jittered(REST * millis);
    },
    stop(): void {
      clearTimeout(timer);
      observable.off("data", changed).off("subscribed", subscribed).off("error", failed);
    },
  };
}
