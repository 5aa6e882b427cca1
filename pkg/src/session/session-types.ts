// Types that the parts of a session share. Types alone.

import type { CoreSession } from "../runtime/core.js";
import type { Parts } from "../runtime/load-part.js";
import type { IndexBatchOptions, ReplicationBatchOptions } from "./advanced-options.js";
import type { InMemoryDocumentSessionOperations } from "./session-events.js";
import type { SessionState } from "./session-state.js";

/** Calls the core, while the session is open and its instance is alive. */
export type EnterSession = <Result>(entry: (core: CoreSession) => Result) => Result;

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

/** The part with rarely used functions, which is loaded on first use. */
type RarelyUsed = Parts["session"];

/** Its functions whose first parameter is the state of a session. */
export type RareName =
  | "getCurrentSessionNode"
  | "exists"
  | "refresh"
  | "loadStartingWith"
  | "conditionalLoad"
  | "loadIntoStream"
  | "loadStartingWithIntoStream";

/** The other parameters of such a function. */
export type Given<Name extends RareName> =
  Parameters<RarelyUsed[Name]> extends [SessionState, ...infer Rest] ? Rest : never;
/** The result of such a function. */
export type Result<Name extends RareName> = Promise<Awaited<ReturnType<RarelyUsed[Name]>>>;

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
