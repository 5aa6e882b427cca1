// Bulk insert, which is loaded when it is first used.

import { withoutNulls } from "../common/arguments.js";
import { checkNames } from "../common/known-names.js";
import type { StoreBase } from "../store/store.js";
import { BulkInsertOperation } from "./bulk-insert-operation.js";
import type { BulkInsertOptions } from "./bulk-insert-types.js";

export function ofStore(
  store: StoreBase,
  database: string | BulkInsertOptions | null | undefined,
  options: BulkInsertOptions | null | undefined,
): BulkInsertOperation {
  const isNamed = typeof database === "string";
  const target = isNamed ? store.of(database) : store;
  target.assertOpen();
  target.assertDatabase();
  const given = withoutNulls(isNamed ? options : database);
  checkNames("bulk insert option", given, ["useCompression", "skipOverwriteIfUnchanged"]);
  return new BulkInsertOperation(target, given);
}
