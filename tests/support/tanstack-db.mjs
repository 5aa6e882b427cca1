// Collections of TanStack DB for tests, and what their live queries emit.
import { createCollection, createLiveQueryCollection } from "@tanstack/db";
import { ravenCollectionOptions } from "../../pkg/lib/tanstack-db/collection-options.js";
import { after } from "./cleanup.mjs";

export const DELETED = Symbol("deleted");

/** A collection whose rows are there. */
export async function collectionOf(t, options) {
  const collection = createCollection(ravenCollectionOptions(options));
  after(t, () => collection.cleanup());
  await collection.preload();
  return collection;
}

/** Everything that a live query over a collection emits: for each key its values, in order. */
export function recorded(t, collection, select = (row) => row.title) {
  const live = createLiveQueryCollection({ startSync: true, query: (q) => q.from({ row: collection }) });
  const emitted = new Map();
  const waiting = new Set();
  const subscription = live.subscribeChanges(
    (changes) => {
      for (const { key, type, value } of changes) {
        const values = emitted.get(key) ?? [];
        const next = type === "delete" ? DELETED : select(value);
        if (values.length === 0 || values.at(-1) !== next) values.push(next);
        emitted.set(key, values);
      }
      for (const check of waiting) check();
    },
    { includeInitialState: true },
  );
  after(t, () => {
    subscription.unsubscribe();
    return live.cleanup();
  });
  /** Resolves when the live query shows this. */
  const shows = (fits) =>
    new Promise((resolve) => {
      const check = () => {
        if (!fits(live)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { live, emitted, shows };
}
