// Bulk insert, which is loaded when it is first used.

import { withoutNulls } from "../common/arguments.js";
import { checkNames } from "../common/known-names.js";
import type { StoreBase } from "../store/store.js";
import { BulkInsertOperation } from "./bulk-insert-operation.js";
import type { BulkInsertOptions } from "./bulk-insert-types.js";

export function open(store: StoreBase, options: BulkInsertOptions | null | undefined): BulkInsertOperation {
  const given = withoutNulls(options);
  checkNames("bulk insert option", given, ["useCompression", "skipOverwriteIfUnchanged"]);
  return new BulkInsertOperation(store, given);
}
