// What a capability's calls about a document share. Files that are loaded at once do not need it, and bundles keep it apart.

import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { SessionState } from "../session/session-state.js";

/** The id of a document, given by its id or its entity; `what`: what belongs to it, for errors. */
export function documentId(state: SessionState, target: unknown, what: string): string {
  if (!isObject(target)) {
    if (!isText(target)) fail("InvalidArgument", `${what} need a document: its id, or its entity`);
    return target;
  }
  const { unitOfWork } = state;
  const slot = state.slot(target, "InvalidArgument");
  if (!unitOfWork.isNamed(slot))
    fail("InvalidOperation", `the server makes the id of this document: save it before its ${what}`);
  return unitOfWork.idAt(slot);
}

/** Whether the session is to delete a document that it has. */
export function isDeleted({ unitOfWork }: SessionState, id: string): boolean {
  const slot = isText(id) ? unitOfWork.slot(id) : -1;
  return slot >= 0 && unitOfWork.isDeleted(slot);
}

/**
 * Whether a save has sent commands that add to what is there, without learning what became of them. Sent twice they would count twice.
 */
export class SentOnce {
  /** Whether the response to a save that has sent it was lost. */
  isUnknown = false;

  /**
   * Refuses to send it again, and to leave it out of a save that succeeds: the app decides.
   * `changed`: what it changes; `own`: the object of the session whose `discard` drops it.
   */
  assertKnown(changed: string, own: string): void {
    if (this.isUnknown)
      fail(
        "InvalidOperation",
        `whether a save has changed ${changed} is unknown: read again, call ${own}.discard(), and increment again what is missing`,
      );
  }
}
