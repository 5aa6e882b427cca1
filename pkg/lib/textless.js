// What cannot be saved because it has no text in JSON: a cycle, a BigInt. The engine says it of all entities at once.

import { RavenEdgeError } from "./error.js";
import { isObject } from "./given.js";

/** What `make` gives; where an entity has no text, the error says which, and why. */
export function explained({ tracker }, make) {
  try {
    return make();
  } catch (cause) {
    for (const slot of tracker.slots()) {
      const flaw = flawOf(tracker.at(slot));
      if (!flaw) continue;
      const message = `${tracker.idAt(slot) || "a new document"} cannot be saved: ${flaw}`;
      // Named as what the engine throws, which is what programs for npm `ravendb` expect.
      throw Object.assign(new RavenEdgeError("InvalidArgument", message, { cause }), { name: cause.name });
    }
    throw cause;
  }
}

function flawOf(entity) {
  try {
    return flawIn(entity, "it", []);
  } catch (error) {
    if (error instanceof RangeError) return "it is nested too deeply";
    // A getter of the app.
  }
}

/** What stands at `path` or below it, inside the objects `above`. */
function flawIn(value, path, above) {
  if (typeof value === "bigint") return `${path} is a BigInt`;
  if (!isObject(value) || typeof value.toJSON === "function") return;
  if (above.includes(value)) return `${path} is inside of itself`;
  const parts = value instanceof Map || value instanceof Set ? [...value] : value;
  for (const [key, part] of Object.entries(parts)) {
    const flaw = flawIn(part, above.length > 0 ? `${path}.${key}` : key, [...above, value]);
    if (flaw) return flaw;
  }
}
