// Applies the results of deferred commands to the session: entities show what was patched, deleted documents are dropped.

import { here, type Parts } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { CommandResult } from "./batch-response.js";

/** `results`: of the deferred commands; `text`: the whole response. Returns the slots of the documents that were written. */
export function follow(state: SessionState, results: CommandResult[], text: string): number[] {
  const { tracker } = state;

  const written: number[] = [];
  // A save with patches loads the part before it is sent.
  const patch = here("session")?.patched(state, text) as ReturnType<Parts["session"]["patched"]>;
  for (const result of results.map<CommandResult>(Object)) {
    const { Type, PatchStatus, Id, "@id": id = PatchStatus && Id, ModifiedDocument } = result;
    // A deferred command may have created a document that did not exist.
    if (id) tracker.absent.unmark(id);
    const slot = tracker.slot(Id ?? id ?? "");
    if (slot < 0) continue;
    if (Type === "DELETE") {
      tracker.drop(slot);
      continue;
    }
    if (Type === "PUT") written.push(slot);
    if (!ModifiedDocument || PatchStatus === "NotModified") continue;
    patch(slot, result);
    written.push(slot);
  }
  return written;
}
