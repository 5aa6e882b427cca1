// Entities whose documents were patched, by whatever command, show what the server has now.

import { revise } from "./entities.js";

/** `results`: of the save. Gives the slots of those entities. */
export function follow(unit, results) {
  const patched = [];
  for (const { Id, ModifiedDocument, PatchStatus, ChangeVector, LastModified } of results.map(Object)) {
    const slot = ModifiedDocument && PatchStatus !== "NotModified" ? unit.tracker.slot(Id) : -1;
    if (slot < 0) continue;
    const metadata = {
      ...ModifiedDocument["@metadata"],
      "@id": unit.tracker.idAt(slot),
      "@change-vector": ChangeVector,
      "@last-modified": LastModified,
    };
    revise(unit, slot, { ...ModifiedDocument, "@metadata": metadata });
    patched.push(slot);
  }
  return patched;
}
