// What a patch made of a document becomes what its entity shows.

import { same } from "../documents/equal-values.js";
import { idOf, put } from "../documents/snapshot-values.js";
import { revise } from "../loading/update-entity.js";
import { inexact } from "../wire/inexact-numbers.js";

/** How many objects and arrays are open inside of a result. */
const DEPTH = 3;

/** Takes over results, one by one, of the answer with this text. */
export function patched(unit, text) {
  const { tracker } = unit;
  let numbers;
  return (slot, result) => {
    const { ModifiedDocument, Id } = result;
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
  };
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
