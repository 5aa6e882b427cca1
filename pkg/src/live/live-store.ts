// What the connection for changes, and watches, need of a store. Types alone.

import type { Events } from "../common/event-listeners.js";
import type { OfflineQueue } from "../offline/offline-types.js";
import type { PlatformRuntime } from "../runtime/platform.js";
import type { OfflineReading } from "../session/session-options.js";
import type { StoreEvents } from "../store/store-event-types.js";
import type { StoreOptions } from "../store/store-options-types.js";
import type { CommandSender } from "../wire/command-request.js";
import type { SendRequest } from "../wire/transport.js";

/** @internal */
export interface LiveStore extends CommandSender {
  readonly runtime: PlatformRuntime;
  readonly urls: string[];
  readonly database: string;
  readonly timeout: number;
  readonly options: StoreOptions & { fetch?: SendRequest };
  readonly events: Pick<Events<StoreEvents>, "on" | "off">;
  readonly conventions: {
    readonly disableTopologyUpdates: boolean;
    getCollectionNameForType(type: unknown): string;
    /** Loads what names collections after classes. */
    ready(): Promise<unknown>;
  };
  /** What is kept on the device; only with `raven-edge/offline`. */
  readonly offline?: Pick<OfflineQueue, "keeps" | "onSignedIn">;
  openSession(options: { noTracking: boolean; offline?: OfflineReading }): {
    load(ids: string | string[]): Promise<unknown>;
    /** Not in `raven-edge/session`. */
    query?(options: object): unknown;
  };
  /** The path of a route of the database on the server. */
  path(route: string): string;
}
