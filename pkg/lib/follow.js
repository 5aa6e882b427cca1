// The session after deferred commands about its documents: entities show what was patched, what was deleted is forgotten.

import { fold } from "../hot/fold.js";
import { here } from "./later.js";

/** `results`: of the deferred commands, and the text of the whole answer. Gives the slots of what was written. */
export function follow(unit, results, text) {
  const { tracker } = unit;
  const { missing } = tracker;
  const written = [];
  // Loaded before a save that patches is sent.
  const patch = here("session")?.patched(unit, text);
  for (const result of results.map(Object)) {
    const { Type, PatchStatus, Id, "@id": id = PatchStatus && Id, ModifiedDocument } = result;
    // A deferred command may have made what was not there.
    if (missing.size > 0 && id) missing.delete(fold(id));
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
