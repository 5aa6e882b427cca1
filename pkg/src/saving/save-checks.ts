// Refuses saves that would lose data or contradict themselves.

import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { SessionState } from "../session/session-state.js";
import { WRITING } from "./batch-commands.js";

/** Refuses to save these slots if a deferred command is about one of the same documents. `types`: of the commands that count. */
export function assertApart({ unitOfWork }: SessionState, slots: number[], types = WRITING): void {
  const about = new Set(unitOfWork.deferred.map(({ id, type }) => id && types.test(type) && idKey(id)));
  for (const slot of about.size > 0 ? slots : []) {
    const id = unitOfWork.idAt(slot);
    if (id && about.has(idKey(id)))
      fail(
        "InvalidOperation",
        `the session changes or deletes the document ${id}, and a deferred command is about it, too`,
      );
  }
}

/** Called after code of the app has run, which may have evicted documents of the save. */
export function assertThere({ unitOfWork }: SessionState, slots: readonly number[]): void {
  for (let at = 0; at < slots.length; at++)
    if (unitOfWork.at(slots[at] as number) === undefined)
      fail("InvalidArgument", "an entity was evicted while it was saved");
}

/** Refuses a save that the session cannot make. */
export function check(state: SessionState): void {
  if (state.noTracking) fail("InvalidOperation", "a session without tracking cannot save");
  if (state.cluster && (state.optimistic || state.expects))
    fail("InvalidOperation", "a cluster-wide transaction takes no change vectors of the app");
}
