// What a store tells.

import type { RavenEdgeError } from "./errors.js";
import type { DocumentSession } from "./session.js";
import type { SessionEvents } from "./session-events.js";

/** A range was leased. */
export interface LeaseEvent {
  /** Name of the counter, such as `orders`. */
  tag: string;
  /** The lowest number. */
  low: number;
  /** The highest number. */
  high: number;
  /** Tag of the node that granted it: `A` in `orders/1-A`; empty where the source has none. */
  nodeTag: string;
  /** Whether its unused end can go back; a lease without a fence burns what is not used. */
  fenced: boolean;
}

/** Unused numbers were sent back. Of what goes back as the page goes, this is not always told. */
export interface ReturnEvent {
  /** Name of the counter. */
  tag: string;
  /** The lowest number sent back. */
  low: number;
  /** The highest number sent back. */
  high: number;
  /** Whether the server took them; if not, they are burnt, which harms nobody. */
  applied: boolean;
  /** Why the request failed, when it did. */
  error?: RavenEdgeError;
}

/**
 * The server went back in time: it granted numbers that this device holds or has issued (the grant was not used), or the
 * database is another one than before (every number of the old one is burnt). See `docs/incarnation.md`.
 */
export interface RegressionEvent {
  /** Name of the counter; absent when the whole database is another one. */
  tag?: string;
  /** The lowest number granted. */
  low?: number;
  /** The highest number granted. */
  high?: number;
  /** The highest number held or issued; the next lease is asked for above it. */
  highest?: number;
  /** The database's new incarnation, when it is another one. */
  incarnation?: string;
  /** Then also the ids of new documents that are not saved yet and carry numbers of the old one. */
  unsaved?: string[];
}

/** Numbers cannot be parked on this device (private mode, no space, cleared site data): ids come from memory. */
export interface StorageEvent {
  /** Why. */
  error: RavenEdgeError;
}

/** A session was opened or is disposed of. */
export interface SessionEventArgs {
  readonly session: DocumentSession;
}

/** A request is about to be sent. Told right after it was: it cannot be changed any more; `headers` of the store can. */
export interface BeforeRequestEventArgs {
  /** The whole address; in a page it may be a path. */
  readonly url: string;
  readonly method: string;
  readonly database: string;
}

/** An answer with a status from 200 to 299 came. A load that finds nothing (404) is neither this nor a failed request. */
export interface SucceedRequestEventArgs extends BeforeRequestEventArgs {
  /** Status and headers; its body has been read already. */
  readonly response: Response;
}

/** The server could not be reached. */
export interface FailedRequestEventArgs extends BeforeRequestEventArgs {
  /** What `fetch` said; an error `Timeout` where it said nothing within the time limit. */
  readonly error: Error;
}

/** The server has told which nodes the database has. */
export interface TopologyUpdatedEventArgs {
  readonly topology: { readonly etag: number; readonly nodes: readonly { readonly url: string }[] };
}

/** The events of requests by name. */
export interface RequestEvents {
  beforeRequest: BeforeRequestEventArgs;
  succeedRequest: SucceedRequestEventArgs;
  failedRequest: FailedRequestEventArgs;
  topologyUpdated: TopologyUpdatedEventArgs;
}

/** The events of a store by name, for {@link DocumentStore.on}. */
export interface StoreEvents extends RequestEvents {
  lease: LeaseEvent;
  return: ReturnEvent;
  regression: RegressionEvent;
  storage: StorageEvent;
  sessionCreated: SessionEventArgs;
  /** `dispose()` was called; told within it, before anything ends. */
  beforeDispose: undefined;
  /** Unused numbers are back. `dispose()` waits up to 5 seconds until each listener has called this function. */
  afterDispose: () => void;
  /** The end of `dispose()`. */
  executorsDisposed: undefined;
}

/** The events of sessions and requests by name, for {@link DocumentStore.addSessionListener}. */
export interface StoreSessionEvents extends SessionEvents, RequestEvents {
  sessionCreated: SessionEventArgs;
}
