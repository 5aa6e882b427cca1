// Applies the results of deferred commands to the session: entities show what was patched, deleted documents are dropped.

import { patched } from "../patching/patch-results.js";
import { here } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { CommandResult } from "./batch-response.js";

/** `results`: of the deferred commands; `text`: the whole response. Returns the slots of the documents that were written. */
export function followAll(state: SessionState, results: CommandResult[], text: string): number[] {
  const { tracker } = state;
  const written: number[] = [];
  const patch = patched(state, text);
  for (const result of results.map<CommandResult>(Object)) {
    const { Type, PatchStatus, Id, "@id": id = PatchStatus && Id, ModifiedDocument } = result;
    if (Type?.startsWith("Attachment")) {
      here("attachments")?.show(state, result);
      continue;
    }
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
