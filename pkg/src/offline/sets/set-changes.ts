// Follows the changes of a set's collection: each is a reason to compare soon, and not more often than the server can bear.

import type { RavenEdgeError } from "../../common/error.js";
import type { StoreBase } from "../../store/store.js";

/** The pause before a comparison, in milliseconds, half of it random: many devices hear of one change. */
const PAUSE = 500;
/** The pause after a comparison, in durations of that comparison, without the random part. */
const REST = 10;

const jittered = (pause: number): number => pause * (0.5 + Math.random() / 2);

export class SetChanges {
  readonly #unlisten;
  readonly #due;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next comparison may begin. */
  #next = 0;

  /** `refused` is called if the gateway does not permit it; failed connections are tried again. */
  constructor(
    store: StoreBase,
    collection: string,
    due: () => void,
    refused: (error: RavenEdgeError) => void,
  ) {
    this.#due = due;
    const observable = store.changes().forDocumentsInCollection(collection);
    const changed = () => this.#changed();
    let isRefused = false;
    const failed = (error: Error) => {
      if (!isRefused && (error as RavenEdgeError).status === 403) {
        isRefused = true;
        refused(error as RavenEdgeError);
      }
    };
    // What was changed before the server has confirmed, was not told.
    observable.on("data", changed).on("subscribed", changed).on("error", failed);
    this.#unlisten = () => observable.off("data", changed).off("subscribed", changed).off("error", failed);
  }

  #changed(): void {
    const pause = Math.max(jittered(PAUSE), this.#next - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#due();
    }, pause);
  }

  /** A comparison has taken so many milliseconds. */
  compared(millis: number): void {
    this.#next = performance.now() + REST * millis + jittered(REST * millis);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#unlisten();
  }
}
