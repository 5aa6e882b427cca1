// Refuses to save numbers that lost digits when their documents were read.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { SessionState } from "../session/session-state.js";

/** Refuses to save these slots if a number would lose digits. */
export function refuseInexact({ unitOfWork }: SessionState, slots: readonly number[]): void {
  for (const slot of slots) {
    const literals = unitOfWork.inexact(slot) ?? [];
    const rounded = new Map<unknown, string>(literals.map((literal) => [Number(literal), literal]));
    const metadata = unitOfWork.snapshots.metadata(unitOfWork.at(slot)["@metadata"]);
    const [found] = numbers({ ...unitOfWork.now(slot), "@metadata": metadata }, rounded);
    if (!found) continue;
    const [path, value] = found;
    fail(
      "InexactNumber",
      `${unitOfWork.idAt(slot)} has the number ${rounded.get(value)}, which JavaScript holds as ${value} (at ${path.join(".")}): saving would change it; replace it, or see conventions.allowInexactNumbers`,
    );
  }
}

/** Path and value of each number inside a value that has lost digits. */
function* numbers(
  value: unknown,
  rounded: Map<unknown, string>,
  path: string[] = [],
): Generator<[path: string[], value: unknown]> {
  if (isObject(value))
    for (const [key, item] of Object.entries(value)) yield* numbers(item, rounded, [...path, key]);
  else if (rounded.has(value)) yield [path, value];
}
