// `store.bulkInsert()`, also while its code is still being loaded.

import { here, later } from "../runtime/load-part.js";
import { standIn } from "../runtime/stand-in.js";
import type { StoreBase } from "../store/store.js";
import type { BulkInsertOperation, BulkInsertOptions } from "./bulk-insert-types.js";

export function openBulkInsert(
  store: StoreBase,
  options: BulkInsertOptions | null | undefined,
): BulkInsertOperation {
  store.assertOpen();
  store.assertDatabase();
  const part = here("bulkInsert");
  return part
    ? part.open(store, options)
    : standIn<BulkInsertOperation>(later("bulkInsert").then(({ open }) => open(store, options)));
}
