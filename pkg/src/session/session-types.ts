// Types that the parts of a session share. Types alone.

import type { IndexBatchOptions, ReplicationBatchOptions } from "./advanced-options.js";
import type { InMemoryDocumentSessionOperations } from "./session-events.js";

/** The session that a state belongs to. Which members of npm `ravendb` it has depends on the entry. */
export interface AttachedSession {
  unsaved(): string[];
}

/** The session that listeners get. */
export type SessionOfEvents = AttachedSession & InMemoryDocumentSessionOperations;

/** What saves wait for, as the app says it. */
export interface SaveOptions {
  replication?: ReplicationBatchOptions;
  indexes?: IndexBatchOptions;
}

/**
 * The type that a class implements instead of an interface for apps. TypeScript cannot check a class against overloads whose results
 * depend on a type parameter, so only the names of members and the parameters of the last overload are compared. `Without`: members
 * that are not compared.
 */
export type Implemented<Interface, Without extends PropertyKey> = {
  [Name in Exclude<keyof Interface, Without>]: Interface[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => unknown
    : Interface[Name];
};
