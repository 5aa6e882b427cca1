// The store: ids, sessions, commands, and the other databases of its server.

import type { BulkInsertOperation, BulkInsertOptions } from "../bulk-insert/bulk-insert-types.js";
import type { Implemented } from "../common/any-this.js";
import { type AllNames, checkNames } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { Events, REQUESTS, SESSION } from "../common/event-listeners.js";
import { idKey } from "../common/id-key.js";
import { within } from "../common/time.js";
import type { WatchArguments } from "../live/live.js";
import type { IDatabaseChanges } from "../live/live-types.js";
import type { Definitions } from "../named/named-definitions.js";
import { IdStore } from "../numbers/id-store.js";
import type { QueueOfStore } from "../offline/queue-of-store.js";
import type {
  MaintenanceOperationExecutor,
  OperationExecutor,
  RavenCommand,
  SentCommand,
} from "../operations/operation-types.js";
import { loadedPart, loadPart, type Parts } from "../runtime/load-part.js";
import type { Runtime } from "../runtime/runtime.js";
import { ofStore } from "../runtime/stand-in.js";
import { DocumentSession } from "../session/advanced.js";
import type { DocumentSession as PublicSession } from "../session/document-session-types.js";
import type { AttachedSession } from "../session/session-events.js";
import type { SessionOptions } from "../session/session-options.js";
import type { DocumentSubscriptions } from "../subscriptions/subscription-types.js";
import type { TimeSeriesOperations } from "../time-series/store-types.js";
import { Cache } from "../wire/response-cache.js";
import { clientConfiguration } from "./client-configuration.js";
import { DocumentConventions } from "./conventions.js";
import { RequestExecutor } from "./request-executor.js";
import type { RequestEvents, StoreSessionEvents } from "./store-event-types.js";
import type { StoreOptions } from "./store-options-types.js";
import type { AbsentOfStore, DocumentStore } from "./store-types.js";

const OPTIONS = [
  "database",
  "noTracking",
  "noCaching",
  "transactionMode",
  "disableAtomicDocumentWritesInClusterWideTransaction",
  "optimisticConcurrencyMode",
  "offline",
] as const;

/** Members whose results TypeScript cannot compare: they return `this`, or a session with the members of its entry. */
type Uncompared =
  | "initialize"
  | "once"
  | "removeListener"
  | "addSessionListener"
  | "removeSessionListener"
  | "openSession";

/** Members that some entries do not have, and the symbol of disposal, which depends on the platform. */
type NotEverywhere =
  | keyof AbsentOfStore
  | "executeIndex"
  | "executeIndexes"
  | "named"
  | typeof Symbol.asyncDispose;

type Listener<Name extends keyof StoreSessionEvents> = (event: StoreSessionEvents[Name]) => void;

export class StoreBase
  extends IdStore<DocumentConventions>
  implements
    Omit<DocumentStore, Uncompared | NotEverywhere>,
    Implemented<Pick<DocumentStore, Uncompared>, never>
{
  /** The stores of other databases, by the keys of their names. */
  #others = new Map<string, this>();
  #cache: Cache | undefined;
  #executor = new RequestExecutor(this);
  /** How many sessions have taken their turn: each takes one, and begins its reads with another node. */
  #turns = 0;

  /** Sessions with new documents that are not saved yet. Empty in workerd of 2024, which has no weak references. */
  readonly #unsaved = new Set<WeakRef<AttachedSession>>();

  /** The configuration that the server has for its clients. */
  override readonly settings = clientConfiguration(this);

  /** Queries and patches by name; `undefined`: a gateway has them. */
  declare definitions: Definitions | undefined;

  /** Changes that wait on the device. */
  declare offline: QueueOfStore;

  /** Listeners of all sessions. */
  sessionEvents = new Events<StoreSessionEvents>(undefined, [...SESSION, ...REQUESTS]);

  constructor(runtime: Runtime, urls: string | string[], database: string, options?: StoreOptions | null) {
    super(runtime, urls, database, options, new DocumentConventions());
    const { events } = this;
    events.trace = () => {
      events.tracing = loadPart("trace").then(({ trace }) => trace(events));
    };
  }

  /** Responses that may be requested again; `undefined`: none are kept. */
  override get cache(): Cache | undefined {
    const { maxHttpCacheSize } = this.conventions;
    if (maxHttpCacheSize > 0) this.#cache ??= new Cache(maxHttpCacheSize);
    return this.#cache;
  }

  get authOptions(): StoreOptions {
    return this.options;
  }

  set authOptions(options: StoreOptions | null | undefined) {
    const { certificate: _, ...others } = this.options;
    this.options = { ...others, ...options };
  }

  /** The class of its sessions. */
  get Session(): typeof DocumentSession {
    return DocumentSession;
  }

  override initialize(): this {
    const { readBalanceBehavior } = this.conventions;
    if (!["None", "RoundRobin"].includes(readBalanceBehavior))
      fail("Unsupported", 'readBalanceBehavior: "None" or "RoundRobin"');
    super.initialize();
    // Called twice, it must not make another queue.
    this.offline ??= this.options.offline?.attach(this as never) as QueueOfStore;
    if (!this.runtime.isolated) this.conventions.prefetch();
    return this;
  }

  override async ready(...tags: string[]): Promise<void> {
    await Promise.all([
      super.ready(...tags),
      within(this.timeout, this.conventions.ready()),
      this.events.tracing,
    ]);
  }

  openSession(options?: string | SessionOptions): DocumentSession {
    this.assertOpen();
    const given: SessionOptions = typeof options === "string" ? { database: options } : (options ?? {});
    const { database, ...chosen } = given;
    const store = this.of(database);
    if (store !== this) return store.openSession(chosen);
    this.assertDatabase();
    checkNames("session option", chosen, OPTIONS satisfies AllNames<SessionOptions, typeof OPTIONS>);
    if (chosen.offline)
      (this.offline ?? fail("InvalidOperation", "openSession({ offline }) needs the store's option")).check(
        chosen.offline,
      );
    const session = new this.Session(this, chosen);
    const event = { session: session as typeof session & PublicSession };
    this.sessionEvents.emit("sessionCreated", event);
    this.events.emit("sessionCreated", event);
    return session;
  }

  /** The store of a database of the server, by default this one. Another one is disposed of together with this one. */
  of(database?: string | null): this {
    const key = idKey(database ?? "");
    if (!key || key === idKey(this.database ?? "")) return this;
    let other = this.#others.get(key);
    if (!other) {
      this.assertOpen();
      const Store = this.constructor as new (...given: [string[], string, StoreOptions]) => this;
      other = new Store(this.urls, database as string, this.options);
      other.conventions = this.conventions;
      other.events = this.events;
      other.sessionEvents = this.sessionEvents;
      this.#others.set(key, other.initialize());
    }
    return other;
  }

  addSessionListener<Name extends keyof StoreSessionEvents>(name: Name, listener: Listener<Name>): this {
    this.sessionEvents.on(name, listener);
    return this;
  }

  removeSessionListener<Name extends keyof StoreSessionEvents>(name: Name, listener: Listener<Name>): this {
    this.sessionEvents.off(name, listener);
    return this;
  }

  bulkInsert(
    database?: string | BulkInsertOptions | null,
    options?: BulkInsertOptions | null,
  ): BulkInsertOperation {
    return ofStore("bulkInsert", this, database, options);
  }

  changes(database?: string, nodeTag?: string): IDatabaseChanges {
    const store = this.of(database);
    store.assertDatabase();
    return store.#live.changesOf(store, nodeTag);
  }

  get subscriptions(): DocumentSubscriptions {
    return ofStore("subscriptions", this);
  }

  watch(...given: WatchArguments): () => void {
    this.assertDatabase();
    return this.#live.watch(this, ...given);
  }

  get #live(): Parts["liveCalls"] {
    this.assertOpen();
    return loadedPart("liveCalls") as Parts["liveCalls"];
  }

  /** The path of a route of the database on the server. */
  path(route: string): string {
    return `/databases/${encodeURIComponent(this.database)}/${route}`;
  }

  getRequestExecutor(database?: string | null): RequestExecutor {
    return this.of(database).#executor;
  }

  get hiLoIdGenerator(): DocumentStore["hiLoIdGenerator"] {
    return ofStore("hilo", this);
  }

  get timeSeries(): TimeSeriesOperations {
    return ofStore("timeSeries", this);
  }

  async execute(command: RavenCommand<unknown>): Promise<void> {
    return (await loadPart("session")).execute(this, command as SentCommand<unknown>);
  }

  get operations(): OperationExecutor {
    const send = async (operation: object, _session: unknown, type: unknown) =>
      (await loadPart("session")).operate(this, operation, type);
    return {
      send: send as OperationExecutor["send"],
      forDatabase: (database) => this.of(database).operations,
    };
  }

  get maintenance(): MaintenanceOperationExecutor {
    // Operations of the server concern no database, but the core needs the name of one.
    return { ...this.operations, server: this.of(this.database || "-").operations };
  }

  override listenersOf(event: string): ((detail: never) => void)[] {
    const name = event as keyof RequestEvents;
    return [...super.listenersOf(name), ...this.sessionEvents.of(name), ...this.#executor.events.of(name)];
  }

  /** The number of a session whose reads go to the nodes in turn. */
  nextTurn(): number {
    return this.#turns++;
  }

  /** Adds a session with new documents that are not saved yet. */
  addUnsaved(session: WeakRef<AttachedSession>): void {
    const unsaved = this.#unsaved;
    // Sessions that the app dropped without a save do not report it.
    if (unsaved.size % 1_000 === 999) for (const each of unsaved) if (!each.deref()) unsaved.delete(each);
    unsaved.add(session);
  }

  /** The session has saved them, or is closed. */
  forgetUnsaved(session: WeakRef<AttachedSession>): void {
    this.#unsaved.delete(session);
  }

  override unsavedDocuments(): string[] {
    return [...this.#unsaved].flatMap((session) => session.deref()?.unsaved() ?? []);
  }

  override others(method: "end" | "release"): Promise<unknown> {
    return Promise.all([...this.#others.values()].map((other) => other[method]()));
  }
}
