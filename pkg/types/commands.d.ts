// Requests that are no part of a session.

import type { RavenCommand } from "../dts/operations/command.js";
import type { DocumentConventions } from "./conventions.js";
import type { RequestEvents } from "./store-events.js";

export type { RavenCommand } from "../dts/operations/command.js";
export * from "../dts/operations/document-commands.js";

/** Answers that a store keeps, for the server to say "not modified"; see {@link DocumentConventions.maxHttpCacheSize}. */
export interface HttpCache {
  readonly numberOfItems: number;
  clear(): void;
}

/** Sends the requests of a database; one per database and store. */
export interface RequestExecutor {
  readonly conventions: DocumentConventions;
  /** `undefined` where none are kept: `maxHttpCacheSize` is 0. */
  readonly cache: HttpCache;
  /** The address of the server as it was given, the first of several. */
  getUrl(): string;
  /** See {@link DocumentStore.execute}. */
  execute(command: RavenCommand<unknown>): Promise<void>;
  /** Listens to the requests of this database; see {@link DocumentStore.on}. */
  on<Name extends keyof RequestEvents>(event: Name, listener: (event: RequestEvents[Name]) => void): this;
  off<Name extends keyof RequestEvents>(event: Name, listener: (event: RequestEvents[Name]) => void): this;
  /** Does nothing: requests end with {@link DocumentStore.dispose}. */
  dispose(): void;
}
