// What a session needs of its store. Types alone: so the files of a session do not know the files of the store, which say what the members
// are: `store/store.ts`, `numbers/id-store.ts`, `numbers/configured-store.ts`.

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
  readonly timeout: number;
  readonly settings: {
    readonly maxNumberOfRequestsPerSession: number;
    readonly readBalanceBehavior: unknown;
  };
  readonly sessionEvents: Events<StoreSessionEvents>;
  readonly definitions: Definitions | undefined;
  /** Changes that wait on the device; `undefined` without the option. */
  readonly offline: QueueOfStore;
  readonly early: { readonly early: { send(request: CoreRequest): (() => void) | undefined } } | undefined;
  assertOpen(): void;
  assertInitialized(): void;
  ready(): Promise<void>;
  core(): Promise<CoreStore>;
  isAlive(core: CoreStore | undefined): boolean;
  hilo(tag: string): HiLo;
  leaseEarly(tag: string): void;
  getRequestExecutor(): RequestExecutor;
  path(route: string): string;
  nextTurn(): number;
  traced<Result>(name: string, run: (work?: TracedWork) => Promise<Result>, tag?: string): Promise<Result>;
  addUnsaved(session: WeakRef<AttachedSession>): void;
  forgetUnsaved(session: WeakRef<AttachedSession>): void;
}
