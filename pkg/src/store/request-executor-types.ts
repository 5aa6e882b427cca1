// What apps see of the object that sends the requests of a database. Types alone.

import type { RavenCommand } from "../operations/operation-types.js";
import type { DocumentConventions } from "./conventions.js";
import type { RequestEvents } from "./store-event-types.js";

/** Responses that a store keeps, so that the server can respond "not modified"; see {@link DocumentConventions.maxHttpCacheSize}. */
export interface HttpCache {
  readonly numberOfItems: number;
  clear(): void;
}

/** Sends the requests of a database; one per database and store. */
export interface RequestExecutor {
  readonly conventions: DocumentConventions;
  /** `undefined` if no responses are kept: `maxHttpCacheSize` is 0. */
  readonly cache: HttpCache;
  /** The address of the server as the app gave it; the first one of several. */
  getUrl(): string;
  /** See {@link DocumentStore.execute}. */
  execute(command: RavenCommand<unknown>): Promise<void>;
  /** Listens to the requests of this database; see {@link DocumentStore.on}. */
  on<Name extends keyof RequestEvents>(event: Name, listener: (event: RequestEvents[Name]) => void): this;
  off<Name extends keyof RequestEvents>(event: Name, listener: (event: RequestEvents[Name]) => void): this;
  /** Does nothing: requests end with {@link DocumentStore.dispose}. */
  dispose(): void;
}
