// What cannot be saved because it has no text in JSON: a cycle, a BigInt. The engine says it of all entities at once.

import { isObject } from "../common/arguments.js";
import { RavenEdgeError } from "../common/error.js";
import type { SessionState } from "../session/session-state.js";
import { idOf } from "./snapshot-values.js";

/** What `make` gives; where an entity has no text, the error says which, and why. */
export function explained<Made>({ tracker }: SessionState, make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    for (const slot of tracker.slots())
      refuse(tracker.at(slot), `${tracker.idAt(slot) || "a new document"} cannot be saved`, cause);
    throw cause;
  }
}

/** The documents of a response. */
interface Read {
  Results: unknown[];
  Includes?: object | null | undefined;
}

/** The same of the documents of a response, which may be nested too deeply. */
export function explainedRead<Made>({ Results, Includes }: Read, make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof RangeError)
      for (const document of [...Results, ...Object.values(Includes ?? {})])
        refuse(document, `${idOf(document) ?? "a result"} cannot be loaded`, cause);
    throw cause;
  }
}

const DEEP = "it is nested too deeply";
/** Levels that every engine has room for. */
const LEVELS = 1_000;

function refuse(value: unknown, what: string, cause: unknown): void {
  const flaw = flawOf(value, cause instanceof RangeError ? LEVELS : Infinity);
  if (!flaw) return;
  // Named as what the engine throws, which is what programs for npm `ravendb` expect.
  const error = new RavenEdgeError("InvalidArgument", `${what}: ${flaw}`, { cause });
  throw Object.assign(error, { name: (cause as Error).name });
}

function flawOf(entity: unknown, levels: number): string | undefined {
  try {
    return flawIn(entity, "it", [], levels);
  } catch (error) {
    if (error instanceof RangeError) return DEEP;
    // A getter of the app.
  }
}

/** What stands at `path` or below it, inside the objects `above`. */
function flawIn(value: unknown, path: string, above: object[], levels: number): string | undefined {
  if (typeof value === "bigint") return `${path} is a BigInt`;
  if (!isObject(value) || typeof value.toJSON === "function") return;
  if (above.length > levels) return DEEP;
  if (above.includes(value)) return `${path} is inside of itself`;
  const parts = value instanceof Map || value instanceof Set ? [...value] : value;
  for (const [key, part] of Object.entries(parts)) {
    const flaw = flawIn(part, above.length > 0 ? `${path}.${key}` : key, [...above, value], levels);
    if (flaw) return flaw;
  }
}
