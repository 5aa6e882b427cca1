// Commands that add to what is there: sent twice they would count twice.

import { fail } from "../common/error.js";

/** Whether a save has sent such a command without learning what became of it. */
export class SentOnce {
  #isUnknown = false;

  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** The response to a save that has sent it was lost. */
  markUnknown(): void {
    this.#isUnknown = true;
  }

  /**
   * Refuses to send it again, and to leave it out of a save that succeeds: the app decides.
   * `changed`: what it changes; `own`: the object of the session whose `discard` drops it.
   */
  assertKnown(changed: string, own: string): void {
    if (this.#isUnknown)
      fail(
        "InvalidOperation",
        `whether a save has changed ${changed} is unknown: read again, call ${own}.discard(), and increment again what is missing`,
      );
  }
}
