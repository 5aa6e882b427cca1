// What a store needs to be live: loaded when it is first used.

import { DatabaseChanges } from "./database-changes.js";
import type { LiveStore } from "./live-store.js";
import type { IDatabaseChanges, WatchCallback, WatchOptions } from "./live-types.js";
import { beginWatch } from "./watching/watch.js";
import type { Watched } from "./watching/watched-results.js";

/** The changes of each store that are in use, by the tag of the node. */
const all = new WeakMap<LiveStore, Map<string, DatabaseChanges>>();

/** The changes of a store's database: the same object until it is disposed of. */
export function changesOf(store: LiveStore, tag = ""): IDatabaseChanges {
  const ofStore = all.get(store) ?? new Map<string, DatabaseChanges>();
  all.set(store, ofStore);
  const known = ofStore.get(tag);
  if (known) return known;
  const made = new DatabaseChanges(store, tag || undefined, () => ofStore.delete(tag));
  ofStore.set(tag, made);
  return made;
}

/** The arguments of `watch`: the query or id, the callback, the options. */
export type WatchArguments = [
  what: Watched,
  callback: WatchCallback<never>,
  options?: WatchOptions | undefined,
];

/** Reads results now, and again after each change that may affect them. The returned function ends the watch. */
export function watch(store: LiveStore, ...[what, callback, options = {}]: WatchArguments): () => void {
  return beginWatch(store, () => changesOf(store), what, callback as WatchCallback<unknown>, options);
}

// For pages, where the code that names collections after classes may not be loaded yet. These functions wait for it.

export async function changesSoon(...given: Parameters<typeof changesOf>): Promise<IDatabaseChanges> {
  await given[0].conventions.ready();
  return changesOf(...given);
}

export async function watchSoon(...given: Parameters<typeof watch>): Promise<() => void> {
  await given[0].conventions.ready();
  try {
    return watch(...given);
  } catch (error) {
    // A mistake in the call, which would else look like an empty list.
    console.error(error);
    throw error;
  }
}
