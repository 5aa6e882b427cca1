// What cannot be saved because it has no text in JSON: a cycle, a BigInt. The engine says it of all entities at once.

import { RavenEdgeError } from "./error.js";

/** What `make` gives; where an entity has no text, the error says which. */
export function explained({ tracker }, make) {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof RangeError) {
      for (const slot of tracker.slots()) {
        const entity = tracker.at(slot);
        try {
          JSON.stringify(entity);
          tracker.snapshots.text(entity);
        } catch ({ message }) {
          const what = tracker.idAt(slot) || "a new document";
          throw new RavenEdgeError("InvalidArgument", `${what} has no text in JSON: ${message}`, { cause });
        }
      }
    }
    throw cause;
  }
}
