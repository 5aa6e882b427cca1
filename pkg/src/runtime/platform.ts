// What some platforms have and others do not. Types alone.

import type { Parking } from "../device/page-events-and-tabs.js";
import type { assertReachable } from "../saving/assert-reachable.js";
import type { EarlyOperations } from "../session/early-operations.js";
import type * as nodeStreams from "../stream/node-streams.js";
import type { connect } from "../wire/client-certificate.js";
import type { Runtime } from "./runtime.js";

export interface Platform {
  /** Fails before a save is sent if the platform is offline. */
  assertReachable?: typeof assertReachable;
  /** Makes a `fetch` that shows a client certificate. */
  connect?: typeof connect;
  /** Node's own streams. */
  node?: typeof nodeStreams;
  /** Keeps numbers in IndexedDB, and handles the events of a page that is left or restored. */
  Parking?: typeof Parking;
  /** Sends requests of sessions before there is a core. */
  early?: EarlyOperations;
}

/** A runtime with what its platform has. Only what calls the platform knows it: everything else needs no more than a {@link Runtime}. */
export type PlatformRuntime = Runtime & Readonly<Platform>;
