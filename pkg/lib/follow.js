// The session after deferred commands about its documents: entities show what was patched, what was deleted is forgotten.

import { fold } from "../hot/fold.js";
import { inexact } from "../hot/numbers.js";
import { idOf, put, same } from "../hot/values.js";
import { revise } from "./entities.js";

/** How many objects and arrays are open inside of a result. */
const DEPTH = 3;

/** `results`: of the deferred commands, and the text of the whole answer. Gives the slots of what was written. */
export function follow(unit, results, text) {
  const { tracker } = unit;
  const { missing } = tracker;
  const written = [];
  let numbers;
  for (const result of results.map(Object)) {
    const { Type, PatchStatus, Id, "@id": id = PatchStatus && Id, ModifiedDocument } = result;
    // A deferred command may have made what was not there.
    if (missing.size > 0 && id) missing.delete(fold(id));
    const slot = tracker.slot(Id ?? id ?? "");
    if (slot < 0) continue;
    if (Type === "DELETE") tracker.drop(slot);
    if (Type === "PUT") written.push(slot);
    if (!ModifiedDocument || PatchStatus === "NotModified") continue;
    const metadata = {
      ...ModifiedDocument["@metadata"],
      "@id": tracker.idAt(slot),
      "@change-vector": result.ChangeVector,
      "@last-modified": result.LastModified,
    };
    const { snapshots } = tracker;
    const entity = tracker.at(slot);
    // What the app has changed while the answer was on its way stays a change.
    const mine = changes(snapshots.before(slot), shown(() => tracker.now(slot)) ?? entity, entity);
    const meta = entity["@metadata"];
    const own = changes(snapshots.own(slot), shown(() => snapshots.metadata(entity)) ?? meta, meta);
    revise(unit, slot, { ...ModifiedDocument, "@metadata": metadata });
    for (const change of mine) put(entity, ...change);
    for (const change of own) Reflect.set(entity["@metadata"], ...change);
    numbers ??= inexact(text, DEPTH, (each) => idOf(each) ?? each.Id);
    tracker.setNumbers(slot, numbers.get(Id));
    written.push(slot);
  }
  return written;
}

/** Names and values of the members that are not as they were. */
function changes(was = {}, now = {}, values = {}) {
  const names = Object.keys({ ...was, ...now }).filter((name) => !same(was[name], now[name]));
  return names.map((name) => [name, values[name]]);
}

/** Nothing for what has no text: a BigInt is no reason to refuse what has been saved. */
function shown(text) {
  try {
    return text();
  } catch {
    return undefined;
  }
}
