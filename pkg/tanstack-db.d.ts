/**
 * Documents as rows of collections of TanStack DB: live queries over what is on the device. Needs `@tanstack/db` 0.15.
 *
 * ```ts
 * import { createCollection } from "@tanstack/db";
 * import { ravenCollectionOptions } from "raven-edge/tanstack-db";
 *
 * const orders = createCollection(ravenCollectionOptions<{ total: number }>({ store, set: "orders", collection: "Orders" }));
 * orders.insert({ id: await orders.utils.nextId(), total: 10 });
 * ```
 *
 * `docs/tanstack-db.md` has the rules.
 */

export { ravenCollectionOptions } from "./dts/tanstack-db/collection-options.js";
export type {
  RavenCollectionConfig,
  RavenCollectionOptions,
  RavenRow,
  RavenRows,
  RavenUtils,
  RowMutation,
  RowOfSchema,
  RowSchema,
  RowSync,
  SaveContext,
} from "./dts/tanstack-db/collection-types.js";
