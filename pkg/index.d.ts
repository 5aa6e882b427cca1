/**
 * RavenDB document ids and sessions for browsers and edge runtimes.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * const session = store.openSession();
 * const order = { lines: [], "@metadata": { "@collection": "Orders" } };
 * await session.store(order);      // session.advanced.getDocumentId(order) === "orders/1-A"
 * await session.saveChanges();     // one request
 * await store.dispose();           // unused numbers go back
 * ```
 *
 * The law above all: an id is never issued twice. A gap is cheap.
 */

export * from "./types/absent.js";
export * from "./types/advanced.js";
export * from "./types/batch.js";
export * from "./types/changes.js";
export * from "./types/commands.js";
export * from "./types/conventions.js";
export * from "./types/databases.js";
export * from "./types/entities.js";
export * from "./types/errors.js";
export * from "./types/hilo.js";
export * from "./types/identities.js";
export * from "./types/index-definitions.js";
export * from "./types/index-operations.js";
export * from "./types/indexes.js";
export * from "./types/lazy.js";
export * from "./types/operations.js";
export * from "./types/patches.js";
export * from "./types/queries.js";
export * from "./types/session.js";
export * from "./types/session-events.js";
export * from "./types/sources.js";
export * from "./types/statistics.js";
export * from "./types/store.js";
export { DocumentStore as default } from "./types/store.js";
export * from "./types/store-events.js";
export * from "./types/store-options.js";
export * from "./types/streams.js";
export * from "./types/version.js";
