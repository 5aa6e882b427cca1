// `collection.utils`.

import { METADATA_MEMBER as META } from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { ConflictEvent, QueuedChange } from "../offline/offline-types.js";
import type { Binding } from "./binding.js";
import type { RavenUtils, SaveContext } from "./collection-types.js";
import { type AnyRow, documentOf } from "./rows.js";
import { saveMutations } from "./save-mutations.js";

/** `versionOf`: the change vector of the row with this key. */
export function utilsOf(
  binding: Binding,
  versionOf: (key: string) => string | undefined,
  error: () => Error | undefined,
): RavenUtils {
  const { store, collection, pending } = binding;
  const isOf = (event: ConflictEvent) =>
    event.documents.some((document) => document.collection === collection);
  const all = async () => (await store.offline?.conflicts()) ?? [];
  return {
    pending: (id: string): readonly QueuedChange[] => pending.of(id),
    conflicts: async () => (await all()).filter(isOf),
    async resolve(id: string, choice: "mine" | "theirs" | object): Promise<void> {
      const isAbout = (event: ConflictEvent) => event.documents.some((each) => idKey(each.id) === idKey(id));
      const event =
        (await all()).find(isAbout) ?? fail("InvalidOperation", `there is no conflict about ${id}`);
      const isRow = typeof choice === "object";
      if (isRow && event.documents.length > 1)
        fail("InvalidOperation", `the change of ${id} has conflicts about other documents: see conflicts()`);
      await event.resolve(isRow ? [documentOf(choice as AnyRow, collection)] : choice);
    },
    versionOf: (id: string) => (pending.of(id).length > 0 ? undefined : versionOf(idKey(id))),
    async nextId(): Promise<string> {
      const made = { [META]: { "@collection": collection } } as object as AnyRow;
      await store.openSession().store(made);
      return made.id;
    },
    saveAll: ({ transaction }: SaveContext) => saveMutations(transaction.mutations),
    get error() {
      return error();
    },
  } as RavenUtils;
}
