// A store: the connection to a database.

import type { AbsentOfStore } from "./absent.js";
import type { RavenCommand, RequestExecutor } from "./commands.js";
import type { DocumentConventions } from "./conventions.js";
import type { HiLo, IHiLoIdGenerator } from "./hilo.js";
import type { AbstractIndexCreationTaskBase } from "./indexes.js";
import type { MaintenanceOperationExecutor, OperationExecutor } from "./operations.js";
import type { DocumentSession, SessionOptions } from "./session.js";
import type { StoreEvents, StoreSessionEvents } from "./store-events.js";
import type { StoreOptions } from "./store-options.js";

declare global {
  // As `lib.esnext.disposable` has it, for apps without that library and for TypeScript before 5.2.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/**
 * The entrance to a database. One per database and app; sessions and ids come from it.
 *
 * ```ts
 * const store = new DocumentStore(["https://a.example", "https://b.example"], "Shop").initialize();
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: what it adds is absent
export class DocumentStore {
  /**
   * @param urls Address of the server, or of several nodes. A page reaches RavenDB through its own origin (RavenDB
   * refuses foreign ones), so there it is a path such as `"/raven"`.
   * @param database Name of the database; without one {@link openSession} and `forDatabase` have to name it.
   */
  constructor(urls: string | string[], database?: string, options?: StoreOptions | null);
  /** The addresses given. */
  readonly urls: string[];
  /** The database's name; empty or `undefined` where there is none. */
  readonly database: string;
  /** For people who read logs; default: the addresses and the database, `http://127.0.0.1:8080 DB: Shop`. */
  identifier: string;
  /** Numbers and ids by the names of npm `ravendb`; those of {@link hilo}. Their code is loaded by the first call. */
  readonly hiLoIdGenerator: IHiLoIdGenerator & { returnUnusedRange(): Promise<void> };
  /** Time limit in milliseconds. */
  readonly timeout: number;
  /** How entities map to collections and ids; change it before {@link initialize}. */
  readonly conventions: DocumentConventions;
  /**
   * Checks the configuration, freezes the conventions and begins to load the WebAssembly module; nothing is sent.
   * @throws {RavenEdgeError} `InvalidArgument`, also for an option that is not known, or `Unsupported` for a certificate where there is none to read.
   */
  initialize(): this;
  /**
   * Resolves once the module is there, and what names collections after classes. Only needed where the first id, the text of a
   * query or the name of a collection has to come synchronously.
   * @param tags Counters whose ids are wanted synchronously (`take()`): of each, and of those named by `hilo()` before, up to eight
   * parked numbers come into memory, and `status().parked` is true from here on. Without tags, a counter that is named later looks
   * for parked numbers when it is first asked, so that its first `take()` gives `undefined`. Nothing is leased.
   * @throws {RavenEdgeError} `InvalidTag` for a tag that RavenDB cannot lease safely, `InvalidOperation` for tags where no database is
   * named, `Timeout`, `LoadFailed`, `Disposed`.
   */
  ready(...tags: string[]): Promise<void>;
  /**
   * The ids of a collection's counter. One per tag and store, whatever its case: RavenDB's counters have none.
   * A tag that RavenDB cannot lease safely is refused when ids are asked for.
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize}, `InvalidTag` for what is no string.
   */
  hilo(tag: string): HiLo;
  /**
   * A unit of work; works at once, before the module is there.
   *
   * ```ts
   * const session = store.openSession();
   * const reading = store.openSession({ database: "Archive", noTracking: true });
   * ```
   * @param options The name of another database, or {@link SessionOptions}.
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize} or where no database is named, `InvalidArgument` for
   * an option that is not known, `Disposed` after {@link dispose}.
   */
  openSession(options?: string | SessionOptions): DocumentSession;
  /**
   * Listens to an event of the store; gives the function that stops it. Listeners are called after the fact, in a
   * microtask: what they throw fails no call of yours, but is an uncaught exception. (`sessionCreated` is told within
   * {@link openSession}.) They hear of the other databases of its sessions, too.
   *
   * ```ts
   * const stop = store.on("failedRequest", ({ url, error }) => console.warn(url, error.message));
   * ```
   */
  on<Name extends keyof StoreEvents>(event: Name, listener: (event: StoreEvents[Name]) => void): () => void;
  /** The same for the first time alone. */
  once<Name extends keyof StoreEvents>(event: Name, listener: (event: StoreEvents[Name]) => void): this;
  removeListener<Name extends keyof StoreEvents>(
    event: Name,
    listener: (event: StoreEvents[Name]) => void,
  ): this;
  /**
   * Listens to sessions. Events of documents reach the sessions opened from now on; they are called within `saveChanges`
   * or `load`, which fails with what they throw. Events of requests are told apart from them, as by {@link on}.
   *
   * ```ts
   * store.addSessionListener("beforeStore", (event) => {
   *   event.getDocumentMetadata().Tenant = "acme";
   * });
   * ```
   */
  addSessionListener<Name extends keyof StoreSessionEvents>(
    event: Name,
    listener: (event: StoreSessionEvents[Name]) => void,
  ): this;
  /** Ends that for sessions opened from now on; those that are open go on telling. */
  removeSessionListener<Name extends keyof StoreSessionEvents>(
    event: Name,
    listener: (event: StoreSessionEvents[Name]) => void,
  ): this;
  /**
   * Sends a command, outside of any session; its `result` is there afterwards.
   * @throws {RavenEdgeError} `Concurrency`, `Server`, `Timeout`, `Unreachable`, `ForeignOrigin`, `BadAnswer`, `Disposed`.
   */
  execute(command: RavenCommand<unknown>): Promise<void>;
  /**
   * The same by the way of npm `ravendb`: `await store.getRequestExecutor().execute(command)`.
   * @param database Default: that of the store.
   */
  getRequestExecutor(database?: string | null): RequestExecutor;
  /** Sends operations and gives what they result in. */
  readonly operations: OperationExecutor;
  /**
   * The same: npm `ravendb` sends some operations here and some there.
   *
   * ```ts
   * const { countOfDocuments } = await store.maintenance.send(new GetStatisticsOperation());
   * ```
   */
  readonly maintenance: MaintenanceOperationExecutor;
  /**
   * Deploys an index; the same as `index.execute(store)`. ({@link AbstractJavaScriptIndexCreationTask} shows one.)
   * @param database Default: that of the store.
   */
  executeIndex(task: AbstractIndexCreationTaskBase, database?: string): Promise<void>;
  /**
   * Deploys indexes in one request: all of them or, where the server refuses one, none.
   * @throws {RavenEdgeError} `InvalidArgument` for no index, or what is none of this package's index classes.
   */
  executeIndexes(tasks: AbstractIndexCreationTaskBase[], database?: string): Promise<void>;
  /**
   * Gives back what is unused, fenced, in one request for all tags, and refuses work from then on, that of open sessions
   * included, also those of other databases. What is parked on the device goes back, too, unless another store of the
   * database lives on the origin, in this tab or in others: then it stays for them. Never rejects for an unreachable
   * server: what cannot go back is burnt. Takes at most some ten seconds.
   */
  dispose(): Promise<void>;
  /**
   * Gives back what this instance holds in memory; it stays usable, and what is parked stays parked. So with
   * what sessions of other databases have. For a framework's unmount, or a Worker's `waitUntil`.
   *
   * ```ts
   * ctx.waitUntil(store.release());
   * await store.release({ waitUntil: (promise) => ctx.waitUntil(promise) });   // the same, and waits for it
   * ```
   */
  release(options?: { waitUntil?: (promise: Promise<unknown>) => void }): Promise<void>;
  /** `await using store = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface DocumentStore extends AbsentOfStore {}

/** By this name in npm `ravendb`. */
export type IDocumentStore = DocumentStore;
