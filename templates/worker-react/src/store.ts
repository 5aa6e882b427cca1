// The store of a user: documents and changes on this device.
import { DocumentStore } from "raven-edge";
import { offline } from "raven-edge/offline";
import { hooksFor } from "raven-edge/react";
import type { names, Task } from "../worker/names";

/** The names of queries, and of the sets on this device. */
export type Known = typeof names & { setDocuments: { tasks: Task } };

/** The hooks know the names: a misspelt one does not compile. */
export const { StoreProvider, useConflicts, useMarks, useOffline, useOutbox, useSet, useStore } =
  hooksFor<Known>();

export function openStore(user: string): DocumentStore<Known> {
  const store = new DocumentStore<Known>("/raven", "MyApp", {
    keep: Number.POSITIVE_INFINITY,
    offline: offline<Known>({
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
