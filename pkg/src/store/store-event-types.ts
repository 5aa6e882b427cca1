// The events of a store. Types alone.

import type { RavenEdgeError } from "../common/error.js";
import type { ConflictEvent, NeedsAuthEvent, OfflineStatus } from "../offline/offline-types.js";
import type { DocumentSession } from "../session/document-session-types.js";
import type { SessionEvents } from "../session/session-events.js";
import type { TraceSpan } from "../tracing/trace-types.js";
import type {
  BeforeRequestEventArgs,
  FailedRequestEventArgs,
  SucceedRequestEventArgs,
  TopologyUpdatedEventArgs,
} from "./classes-as-values.js";

/** A range was leased. */
export interface LeaseEvent {
  /** Name of the counter, such as `orders`. */
  tag: string;
  /** The lowest number. */
  low: number;
  /** The highest number. */
  high: number;
  /** Tag of the node that granted it: `A` in `orders/1-A`; empty if the source has none. */
  nodeTag: string;
  /** Whether unused numbers at its end can be returned; a lease without a fence burns them. */
  fenced: boolean;
}

/**
 * Unused numbers were returned, or `dispose()` or `release()` could not return them. A return that is sent while the page is closing may
 * not be reported.
 */
export interface ReturnEvent {
  /** Name of the counter. */
  tag: string;
  /** The lowest number that was returned. */
  low: number;
  /** The highest number that was returned. */
  high: number;
  /** Whether the server accepted them; if not, they stay on the device or are burnt (never used, which is safe). `error` says which. */
  applied: boolean;
  /** Why the request failed, or why nothing could be sent. */
  error?: RavenEdgeError;
}

/**
 * The server was set back to an earlier state: it granted numbers that this device holds or has issued (the grant was not used), or
 * the database has been replaced by another one (every number of the old one is burnt). `docs/offline-accidents.md` says what to do.
 */
export interface RegressionEvent {
  /** Name of the counter; absent if the whole database was replaced. */
  tag?: string;
  /** The lowest number granted. */
  low?: number;
  /** The highest number granted. */
  high?: number;
  /** The highest number held or issued; the next lease is requested above it. */
  highest?: number;
  /** The new incarnation of the database, if it was replaced. If responses of both were under way, the event may come twice. */
  incarnation?: string;
  /** In this case also the ids of new documents that are not saved yet and have numbers of the old one. */
  unsaved?: string[];
  /**
   * Set if the queue on the device is concerned, whose documents are {@link unsaved} then. `"cloned"`: another device sends under the
   * receipt of this one, as after a copy of a browser profile; this one goes on with a new receipt. `"receipt lost"`: the server no
   * longer has the receipt. `"incarnation"`: the database was replaced; nothing is sent until `store.offline.resume()`.
   */
  offline?: "cloned" | "receipt lost" | "incarnation";
}

/** Numbers cannot be parked on this device (private mode, no space, cleared site data): ids come from memory. */
export interface StorageEvent {
  /** Why. */
  error: RavenEdgeError;
}

/** A session was opened or disposed of. */
export interface SessionEventArgs {
  readonly session: DocumentSession;
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
  /** The status of the queue on the device has changed (`raven-edge/offline`). */
  offline: OfflineStatus;
  /** Somebody else has changed documents of a queued change. */
  conflict: ConflictEvent;
  /** The user of the queue on the device is not signed in (401): the queue is paused, or a read was refused. */
  needsAuth: NeedsAuthEvent;
  sessionCreated: SessionEventArgs;
  /** `dispose()` was called; emitted synchronously, before anything ends. */
  beforeDispose: undefined;
  /** Unused numbers were returned. `dispose()` waits up to 5 seconds until each listener has called this function. */
  afterDispose: () => void;
  /** The end of `dispose()`. */
  executorsDisposed: undefined;
}

/** The events of sessions and requests by name, for {@link DocumentStore.addSessionListener}. */
export interface StoreSessionEvents extends SessionEvents, RequestEvents {
  sessionCreated: SessionEventArgs;
}

/**
 * The events of a store, and the one whose listeners are `TraceListener`s.
 * @internal
 */
export interface TracedEvents extends StoreEvents {
  trace: TraceSpan;
}
