// Entities whose documents were patched, by whatever command, show what the server has now.

import { fold } from "../hot/fold.js";
import { inexact } from "../hot/numbers.js";
import { revise } from "./entities.js";

/** How many objects and arrays are open inside of a result. */
const DEPTH = 3;

/** `results`: of the save, and the text of them. Gives the slots of those entities. */
export function follow(unit, results, text) {
  const { missing } = unit.tracker;
  const patched = [];
  let numbers;
  for (const result of results.map(Object)) {
    const { PatchStatus, Id, "@id": id = PatchStatus && Id, ModifiedDocument } = result;
    // A deferred command may have made what was not there.
    if (missing.size > 0 && id) missing.delete(fold(id));
    const slot = ModifiedDocument && PatchStatus !== "NotModified" ? unit.tracker.slot(Id) : -1;
    if (slot < 0) continue;
    const metadata = {
      ...ModifiedDocument["@metadata"],
      "@id": unit.tracker.idAt(slot),
      "@change-vector": result.ChangeVector,
      "@last-modified": result.LastModified,
    };
    revise(unit, slot, { ...ModifiedDocument, "@metadata": metadata });
    numbers ??= inexact(text, DEPTH, (each) => each.Id);
    unit.tracker.setNumbers(slot, numbers.get(Id));
    patched.push(slot);
  }
  return patched;
}
