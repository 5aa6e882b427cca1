// What a store needs to be live: loaded when it is first used.

import { DatabaseChanges } from "./database-changes.js";
import type { LiveStore } from "./live-store.js";

/** The changes of each store that are in use, by the tag of the node. */
const all = new WeakMap<LiveStore, Map<string, DatabaseChanges>>();

/** The changes of a store's database: the same object until it is disposed of. */
export function changesOf(store: LiveStore, tag = ""): DatabaseChanges {
  const ofStore = all.get(store) ?? new Map<string, DatabaseChanges>();
  all.set(store, ofStore);
  const known = ofStore.get(tag);
  if (known) return known;
  const made = new DatabaseChanges(store, tag || undefined, () => ofStore.delete(tag));
  ofStore.set(tag, made);
  return made;
}
