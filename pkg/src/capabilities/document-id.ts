// The document that a capability's call is about.

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
