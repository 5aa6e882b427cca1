// What a session needs of its store. Types alone: so the files of a session do not know the files of the store.

import type { Events } from "../common/event-listeners.js";
import type { CoreStore } from "../core/core-store.js";
import type { CoreRequest } from "../core/exchange.js";
import type { Definitions } from "../named/named-definitions.js";
import type { HiLo } from "../numbers/hilo.js";
import type { QueueOfStore } from "../offline/queue-of-store.js";
import type { PlatformRuntime } from "../runtime/platform.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { StoreSessionEvents } from "../store/store-event-types.js";
import type { StoreOptions } from "../store/store-options-types.js";
import type { RequestExecutor } from "../store/store-types.js";
import type { TracedWork } from "../tracing/trace-types.js";
import type { AttachedSession } from "./session-events.js";

export interface SessionStore {
  readonly runtime: PlatformRuntime;
  readonly urls: string[];
  readonly database: string;
  readonly identifier: string;
  readonly options: StoreOptions;
  readonly conventions: DocumentConventions;
  /** Time limit in milliseconds. */
  readonly timeout: number;
  /** The configuration that the server has for its clients. */
  readonly settings: {
    readonly maxNumberOfRequestsPerSession: number;
    readonly readBalanceBehavior: unknown;
  };
  /** Listeners of all sessions. */
  readonly sessionEvents: Events<StoreSessionEvents>;
  /** Queries and patches by name; `undefined`: a gateway has them. */
  readonly definitions: Definitions | undefined;
  /** Changes that wait on the device; `undefined` without the option. */
  readonly offline: QueueOfStore;
  /** What can send requests early; `undefined`: there is a core, or no page. */
  readonly early: { readonly early: { send(request: CoreRequest): (() => void) | undefined } } | undefined;
  assertOpen(): void;
  assertInitialized(): void;
  ready(): Promise<void>;
  core(): Promise<CoreStore>;
  isAlive(core: CoreStore | undefined): boolean;
  hilo(tag: string): HiLo;
  /** Sends the first lease of a tag if there is no core yet. */
  leaseEarly(tag: string): void;
  getRequestExecutor(): RequestExecutor;
  /** The path of a route of the database on the server. */
  path(route: string): string;
  /** The number of a session whose reads go to the nodes in turn. */
  nextTurn(): number;
  /** Runs work within a span, if the app traces the store. */
  traced<Result>(name: string, run: (work?: TracedWork) => Promise<Result>, tag?: string): Promise<Result>;
  /** Adds a session with new documents that are not saved yet. */
  addUnsaved(session: WeakRef<AttachedSession>): void;
  /** The session has saved them, or is closed. */
  forgetUnsaved(session: WeakRef<AttachedSession>): void;
}
