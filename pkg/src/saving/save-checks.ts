// Refuses saves that would lose data or contradict themselves.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { SessionState } from "../session/session-state.js";
import { WRITING } from "./batch-commands.js";

/** Refuses to save these slots if a deferred command is about one of the same documents. */
export function assertApart({ tracker, deferred }: SessionState, slots: number[]): void {
  const about = new Set(deferred.map(({ id, type }) => id && WRITING.test(type) && idKey(id)));
  for (const slot of about.size > 0 ? slots : []) {
    const id = tracker.idAt(slot);
    if (id && about.has(idKey(id)))
      fail(
        "InvalidOperation",
        `the document ${id} has changed in the session, and a deferred command is about it, too`,
      );
  }
}

/** Refuses to save these slots if the session cannot save, or if a number would lose digits. */
export function check(state: SessionState, slots: number[]): void {
  const { tracker, conventions } = state;
  if (state.noTracking) fail("InvalidOperation", "a session without tracking cannot save");
  if (state.cluster && (state.optimistic || state.expects))
    fail("InvalidOperation", "a cluster-wide transaction takes no change vectors of the app");
  if (conventions.allowInexactNumbers || !tracker.marks.hasInexact) return;
  for (const slot of slots) {
    const literals = tracker.marks.inexact(slot) ?? [];
    const rounded = new Map<unknown, string>(literals.map((literal) => [Number(literal), literal]));
    const metadata = tracker.snapshots.metadata(tracker.at(slot)["@metadata"]);
    const [found] = numbers({ ...tracker.now(slot), "@metadata": metadata }, rounded);
    if (!found) continue;
    const [path, value] = found;
    fail(
      "InexactNumber",
      `${tracker.idAt(slot)} has the number ${rounded.get(value)}, which JavaScript holds as ${value} (at ${path.join(".")}): saving would change it; replace it, or see conventions.allowInexactNumbers`,
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
