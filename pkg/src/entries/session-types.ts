// Types of `raven-edge/session` that differ from those of `raven-edge`. Types alone.

import type { Names } from "../named/named-definitions.js";
import type { AdvancedSession as AllOfAdvanced, PatchMethods } from "../session/advanced-session-types.js";
import type { DocumentSession as AllOfSession } from "../session/document-session-types.js";
import type { SessionOptions } from "../session/session-options.js";
import type { StoreOptions } from "../store/store-options-types.js";
import type { DocumentStore as AllOfStore } from "../store/store-types.js";

/** Members for queries, streams and patches. */
type OfQueries = "documentQuery" | "rawQuery" | "stream" | keyof PatchMethods<Names>;

/** As in `raven-edge`, without queries, streams and patches. */
export interface AdvancedSession extends Omit<AllOfAdvanced, OfQueries> {}

/** As in `raven-edge`, without queries. */
export interface DocumentSession extends Omit<AllOfSession, "query" | "advanced"> {
  readonly advanced: AdvancedSession;
}

/** As in `raven-edge`, with sessions that do not query. */
export interface DocumentStore
  extends Omit<AllOfStore, "initialize" | "openSession" | "executeIndex" | "executeIndexes" | "named"> {
  initialize(): this;
  openSession(options?: string | SessionOptions): DocumentSession;
}

/** As in `raven-edge`. */
export declare const DocumentStore: new (
  urls: string | string[],
  database?: string,
  options?: StoreOptions | null,
) => DocumentStore;
