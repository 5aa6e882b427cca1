// What is not sent, because it would lose data or cannot be meant.

import { fold } from "../hot/fold.js";
import { fail } from "./error.js";
import { isObject } from "./given.js";

/** Refuses a save of these slots beside deferred commands about the same documents. */
export function assertApart({ tracker, deferred }, slots) {
  const about = new Set(deferred.map(({ id }) => id && fold(id)));
  for (const slot of about.size > 0 ? slots : []) {
    const id = tracker.idAt(slot);
    if (id && about.has(fold(id)))
      fail(
        "InvalidOperation",
        `the document ${id} has changed in the session, and a deferred command is about it, too`,
      );
  }
}

/** Refuses a save of these slots. */
export function check(unit, slots) {
  const { tracker, conventions } = unit;
  if (unit.noTracking) fail("InvalidOperation", "this session does not track: it cannot save");
  if (unit.cluster && (unit.optimistic || unit.expects))
    fail("InvalidOperation", "change vectors are not for the app in a transaction of the whole cluster");
  if (conventions.allowInexactNumbers || !tracker.hasNumbers) return;
  for (const slot of slots) {
    const rounded = new Map((tracker.numbers(slot) ?? []).map((literal) => [Number(literal), literal]));
    const metadata = tracker.snapshots.metadata(tracker.at(slot));
    const [found] = numbers({ ...tracker.now(slot), "@metadata": metadata }, rounded);
    if (!found) continue;
    const [path, value] = found;
    fail(
      "InexactNumber",
      `${tracker.idAt(slot)} has the number ${rounded.get(value)}, which JavaScript holds as ${value} (at ${path.join(".")}): saving would change it; replace it, or see conventions.allowInexactNumbers`,
    );
  }
}

/** Where a value has numbers that have lost digits. */
function* numbers(value, rounded, path = []) {
  if (isObject(value))
    for (const [key, item] of Object.entries(value)) yield* numbers(item, rounded, [...path, key]);
  else if (rounded.has(value)) yield [path, value];
}
