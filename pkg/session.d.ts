/**
 * `raven-edge` without queries, indexes, streams and patches: ids, and sessions that load by id. A tenth smaller.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge/session";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * const session = store.openSession();
 * await session.store({ "@metadata": { "@collection": "Orders" } });
 * await session.saveChanges();
 * await store.dispose();
 * ```
 *
 * It shares parked numbers with `raven-edge` on the same origin, and never issues an id twice.
 */

export * from "./dts/entries/session-classes.js";
export {
  type AdvancedSession,
  type DocumentSession,
  DocumentStore,
  DocumentStore as default,
} from "./dts/entries/session-types.js";
export type * from "./index.js";
export { HiLo } from "./index.js";
