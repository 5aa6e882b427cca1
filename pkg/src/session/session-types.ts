// What the parts of a session exchange. Types alone.

import type { CoreSession } from "../runtime/core.js";
import type { Parts } from "../runtime/load-part.js";
import type { IndexBatchOptions, ReplicationBatchOptions } from "./advanced-options.js";
import type { InMemoryDocumentSessionOperations } from "./session-events.js";
import type { SessionState } from "./session-state.js";

/** Calls the core, while the session is open and its instance is alive. */
export type EnterSession = <Result>(entry: (core: CoreSession) => Result) => Result;

/** The session that a state belongs to. The members of npm `ravendb`, which listeners get, depend on the entry. */
export interface AttachedSession {
  unsaved(): string[];
}

/** The session as listeners get it. */
export type SessionOfEvents = AttachedSession & InMemoryDocumentSessionOperations;

/** Options whose defaults are filled in. */
type Complete<Options> = { [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** What saves wait for. */
export interface SaveOptions {
  replication?: Complete<ReplicationBatchOptions>;
  indexes?: Complete<IndexBatchOptions>;
}

/** The body of a response in the middle of being read. */
export interface OpenStream {
  stop(error: Error): void;
}

/** What is rarely used, and loaded then. */
type RarelyUsed = Parts["session"];

/** The functions of it that take the state of a session first. */
export type RareName =
  | "getCurrentSessionNode"
  | "exists"
  | "refresh"
  | "loadStartingWith"
  | "conditionalLoad"
  | "loadIntoStream"
  | "loadStartingWithIntoStream";

/** The other parameters of one. */
export type Given<Name extends RareName> =
  Parameters<RarelyUsed[Name]> extends [SessionState, ...infer Rest] ? Rest : never;
/** What one resolves with. */
export type Result<Name extends RareName> = Promise<Awaited<ReturnType<RarelyUsed[Name]>>>;

/**
 * The members of an interface for apps, without some, for the class that implements it: a class cannot implement overloads whose
 * results depend on the class that the app names. Compares names, and the parameters of the last overload.
 */
export type Implemented<Interface, Without extends PropertyKey> = {
  [Name in Exclude<keyof Interface, Without>]: Interface[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => unknown
    : Interface[Name];
};
