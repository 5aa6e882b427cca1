// Explains why a document cannot be saved or loaded: a cycle, a BigInt, an invalid Date, too many levels. The engine's error does not name the document.

import { isObject } from "../common/arguments.js";
import { RavenEdgeError } from "../common/error.js";
import { collectionOf, isDate, isEngineError, isInvalidDate } from "../common/value-kinds.js";
import { idOf } from "./snapshots/snapshot-values.js";

/** The result of `make`. If an entity cannot be written as JSON, the error names the document and the reason. */
export function explained<Made>(
  unitOfWork: { slots(): Iterable<number>; at(slot: number): unknown; idAt(slot: number): string },
  make: () => Made,
): Made {
  try {
    return make();
  } catch (cause) {
    for (const slot of unitOfWork.slots())
      refuse(unitOfWork.at(slot), `${unitOfWork.idAt(slot) || "a new document"} cannot be saved`, cause);
    throw cause;
  }
}

/** The result of `make`. If a document of a response is nested too deeply, the error names it. */
export function explainedRead<Made>(
  { Results, Includes }: { Results: unknown[]; Includes?: object | null | undefined },
  make: () => Made,
): Made {
  try {
    return make();
  } catch (cause) {
    if (isEngineError(cause, "RangeError"))
      for (const document of [...Results, ...Object.values(Includes ?? {})])
        refuse(document, `${idOf(document) ?? "a result"} cannot be loaded`, cause);
    throw cause;
  }
}

const DEEP = "it is nested too deeply";
/** Levels that every engine can process. */
const LEVELS = 1_000;

function refuse(value: unknown, what: string, cause: unknown): void {
  const flaw = flawOf(value, isEngineError(cause, "RangeError") ? LEVELS : Infinity);
  if (!flaw) return;
  // With the name of the engine's error, which programs for npm `ravendb` expect.
  const error = new RavenEdgeError("InvalidArgument", `${what}: ${flaw}`, { cause });
  throw Object.assign(error, { name: (cause as Error).name });
}

function flawOf(entity: unknown, levels: number): string | undefined {
  try {
    return flawIn(entity, "it", [], levels);
  } catch (error) {
    if (isEngineError(error, "RangeError")) return DEEP;
    // A getter of the app.
  }
}

/** The reason, if it is at `path` or below. `above`: the objects that contain the value. */
function flawIn(given: unknown, path: string, above: object[], levels: number): string | undefined {
  if (isInvalidDate(given)) return `${path} is an invalid Date`;
  const isShown = isObject(given) && !isDate(given) && typeof given.toJSON === "function";
  const value: unknown = isShown ? (given.toJSON as () => unknown)() : given;
  if (typeof value === "bigint") return `${path} is a BigInt`;
  if (!isObject(value)) return;
  if (above.length > levels) return DEEP;
  if (above.includes(value)) return `${path} contains itself`;
  const parts = collectionOf(value) ? [...(value as object as Iterable<unknown>)] : value;
  for (const [key, part] of Object.entries(parts)) {
    const flaw = flawIn(part, above.length > 0 ? `${path}.${key}` : key, [...above, value], levels);
    if (flaw) return flaw;
  }
}
