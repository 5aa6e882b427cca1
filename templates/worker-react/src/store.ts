// The store of a user: documents and changes on this device.
import { DocumentStore } from "raven-edge";
import { offline } from "raven-edge/offline";
import { hooksFor } from "raven-edge/react";
import type { names } from "../worker/names";

/** The hooks know the names: a misspelt one does not compile. */
export const { StoreProvider, useConflicts, useMarks, useOffline, useOutbox, useQuery, useStore } =
  hooksFor<typeof names>();

export function openStore(user: string): DocumentStore<typeof names> {
  const store = new DocumentStore<typeof names>("/raven", "MyApp", {
    keep: Number.POSITIVE_INFINITY,
    offline: offline({
      user,
      // All tasks of the user are on the device.
      sets: { tasks: { named: "tasks", collection: "Tasks", live: true } },
      // Different members merge; if two devices change the same one, the user decides.
      merge: { Tasks: "fields" },
    }),
  }).initialize();
  store.offline.set("tasks");
  // Ids for tasks that are created without a connection. Without one this rejects, and those of the last time are used.
  store
    .hilo("tasks")
    .reserve(20)
    .catch(() => {});
  return store;
}
