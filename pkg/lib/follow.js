// Entities whose documents were patched, by whatever command, show what the server has now.

import { RavenEdgeError } from "./error.js";

/** `text` is the answer to the save. Gives the slots of those entities. */
export function follow(unit, text) {
  const patched = [];
  for (const { Id, ModifiedDocument, PatchStatus, ChangeVector, LastModified } of results(text)) {
    const slot = ModifiedDocument && PatchStatus !== "NotModified" ? unit.tracker.slot(Id) : -1;
    if (slot < 0) continue;
    const metadata = {
      ...ModifiedDocument["@metadata"],
      "@id": unit.tracker.idAt(slot),
      "@change-vector": ChangeVector,
      "@last-modified": LastModified,
    };
    unit.revise(slot, { ...ModifiedDocument, "@metadata": metadata });
    patched.push(slot);
  }
  return patched;
}

/** RavenDB may store what is no JSON (`1.`). */
function results(text) {
  try {
    return JSON.parse(text).Results;
  } catch (cause) {
    const error = new RavenEdgeError("BadAnswer", `what was patched is no JSON: ${cause.message}`, { cause });
    throw Object.assign(error, { outcome: "saved" });
  }
}
