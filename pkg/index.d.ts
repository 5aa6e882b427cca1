/**
 * RavenDB document ids and sessions for browsers and edge runtimes.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * const session = store.openSession();
 * const order = { lines: [], "@metadata": { "@collection": "Orders" } };
 * await session.store(order);      // order.id === "orders/1-A"
 * await session.saveChanges();     // one request
 * await store.dispose();           // unused numbers go back
 * ```
 *
 * The law above all: an id is never issued twice. A gap is cheap.
 */

/** Makes headers for a request; called synchronously before every request, the last one included. */
export type HeadersSource = () => HeadersInit;

/**
 * Options of a store. The first four are those of npm `ravendb`'s third argument.
 */
export interface StoreOptions {
  /** Client certificate, PEM text (with its key) or PFX bytes. Node, Deno and Bun only; elsewhere give a {@link fetch}. */
  certificate?: string | Uint8Array;
  /** Form of {@link certificate}; default `"pem"`. */
  type?: "pem" | "pfx";
  /** Password of the certificate's key. */
  password?: string;
  /** Certificate authority that signed the server's certificate, in PEM. */
  ca?: string | Uint8Array;
  /** Headers for every request, such as an authorization of your gateway. Default: none. */
  headers?: HeadersSource;
  /** Sends the requests; default the global `fetch`. A Worker's mTLS or service binding: `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: typeof fetch;
  /** Time limit in milliseconds of a request, and of a caller who waits for an id. Default 15,000. */
  timeout?: number;
}

/** A range was leased. */
export interface LeaseEvent {
  /** Name of the counter, such as `orders`. */
  tag: string;
  /** The lowest number. */
  low: number;
  /** The highest number. */
  high: number;
  /** Tag of the node that granted it: `A` in `orders/1-A`. */
  nodeTag: string;
  /** Whether its unused end can go back; a lease without a fence burns what is not used. */
  fenced: boolean;
}

/** Unused numbers were sent back. */
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

/** The server granted numbers that this client holds or has issued: it went back in time. The grant was not used. */
export interface RegressionEvent {
  /** Name of the counter. */
  tag: string;
  /** The lowest number granted. */
  low: number;
  /** The highest number granted. */
  high: number;
  /** The highest number held or issued; the next lease is asked for above it. */
  highest: number;
}

/** The events of a store by name. */
export interface StoreEvents {
  lease: LeaseEvent;
  return: ReturnEvent;
  regression: RegressionEvent;
}

/**
 * The entrance to a database. One per database and app; sessions and ids come from it.
 *
 * ```ts
 * const store = new DocumentStore(["https://a.example", "https://b.example"], "Shop").initialize();
 * ```
 */
export class DocumentStore {
  /**
   * @param urls Address of the server, or of several nodes. A page reaches RavenDB through its own origin (RavenDB
   * refuses foreign ones), so there it is a path such as `"/raven"`.
   * @param database Name of the database.
   */
  constructor(urls: string | string[], database: string, options?: StoreOptions);
  /** The addresses given. */
  readonly urls: string[];
  /** The database's name. */
  readonly database: string;
  /** Time limit in milliseconds. */
  readonly timeout: number;
  /** How entities map to collections and ids; change it before {@link initialize}. */
  readonly conventions: DocumentConventions;
  /**
   * Checks the configuration and begins to load the WebAssembly module; nothing is sent.
   * @throws {RavenEdgeError} `InvalidArgument`, or `Unsupported` for a certificate where there is none to read.
   */
  initialize(): this;
  /** Resolves once the module is there. Only needed where the first id has to come synchronously. */
  ready(): Promise<void>;
  /**
   * The ids of a collection's counter. One per tag and store, whatever its case: RavenDB's counters have none.
   * A tag that RavenDB cannot lease safely is refused when ids are asked for.
   */
  hilo(tag: string): HiLo;
  /** A unit of work; works at once, before the module is there. */
  openSession(options?: string | { database?: string }): DocumentSession;
  /** Listens to an event; gives the function that stops it. */
  on<Name extends keyof StoreEvents>(event: Name, listener: (event: StoreEvents[Name]) => void): () => void;
  /**
   * Gives back what is unused, fenced, in one request for all tags, and refuses work from then on. Never rejects for
   * an unreachable server: what cannot go back is burnt. Takes at most some ten seconds.
   */
  dispose(): Promise<void>;
  /** `await using store = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What is at hand of a tag. */
export interface HiLoStatus {
  /** Numbers in memory. */
  atHand: number;
  /** Numbers parked on the device for later; 0 until the pool is built. */
  parked: number;
  /** Whether a lease is on its way. */
  leasing: boolean;
  /** Lowest number of the lease that the next id comes from; absent before the first lease. */
  low?: number;
  /** Highest number of that lease. */
  high?: number;
  /** Node tag of that lease. */
  nodeTag?: string;
  /** Change vector under which its rest can go back; absent when it cannot. */
  fence?: string;
}

/**
 * Ids alone.
 *
 * ```ts
 * const ids = store.hilo("orders");
 * const id = ids.take() ?? (await ids.next());
 * ```
 */
export class HiLo {
  private constructor();
  /** Name of the counter. */
  readonly tag: string;
  /** The next id, synchronously; `undefined` when none is at hand (then one is asked for). */
  take(): string | undefined;
  /**
   * The next id.
   * @throws {RavenEdgeError} `Timeout` after the store's time limit, `Disposed`, `InvalidTag`, or what the server said.
   */
  next(): Promise<string>;
  /** Resolves when that many numbers are at hand, 0 to 1,048,576. */
  reserve(count: number): Promise<void>;
  /** What is at hand, for a user interface. */
  status(): HiLoStatus;
}

/** An entity that a session has stored or loaded shows its id and metadata. */
export type Tracked<T extends object> = T & { id: string; "@metadata": Record<string, unknown> };

/**
 * A unit of work over plain objects and class instances. Asynchronous members run one after the other in the order of
 * their calls, awaited or not.
 */
export class DocumentSession {
  private constructor();
  /**
   * Takes a new entity in and gives it an id: that of the argument, of its `id` property, or the next one of its
   * collection. Nothing is sent but, at times, a lease.
   * @throws {RavenEdgeError} `NoCollection`, `NonUniqueObject`, `InvalidId`, `Unsupported` for ids that the server makes.
   */
  store(entity: object, id?: string): Promise<void>;
  /** The document of an id, `null` when there is none. The same object whenever it is asked for, in whatever case. */
  load<T extends object = object>(id: string): Promise<Tracked<T> | null>;
  /** The documents of several ids, by the id asked for. */
  load<T extends object = object>(ids: string[]): Promise<Record<string, Tracked<T> | null>>;
  /**
   * Sends everything new or changed in one request, all or nothing. New documents under HiLo ids must not exist yet.
   * @throws {RavenEdgeError} `Concurrency`, `Server`, `Timeout`, `Unreachable`. The session keeps its documents and ids,
   * so the same session can save again.
   */
  saveChanges(): Promise<void>;
  /** More. */
  readonly advanced: {
    /** The id of an entity of this session, `null` for others; frozen entities, too. */
    getDocumentId(entity: object): string | null;
    /** The change vector as last saved or loaded, `null` for a new one. */
    getChangeVectorFor(entity: object): string | null;
    /** Whether anything would be sent. */
    hasChanges(): boolean;
    /** Whether this entity would be sent. */
    hasChanged(entity: object): boolean;
    /** Whether the session has the document of this id. */
    isLoaded(id: string): boolean;
  };
  /** Ends the session; nothing is sent. */
  dispose(): void;
  /** `await using session = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How entities map to collections, tags and ids; names and defaults are those of npm `ravendb`. */
export class DocumentConventions {
  /** The property that shows an entity its id; default `"id"`. It is not stored in the document. */
  identityProperty: string;
  /** Stands between prefix and number; one character, default `"/"`. */
  identityPartsSeparator: string;
  /** Uses only the addresses given, whatever nodes the server knows of; default `false`. */
  disableTopologyUpdates: boolean;
  /** The collection of a class that is not registered. */
  // biome-ignore lint/suspicious/noExplicitAny: any class
  findCollectionName?: (type: new (...args: any[]) => object) => string | undefined;
  /** The collection of a plain object without `@metadata`. */
  findCollectionNameForObjectLiteral?: (entity: object) => string | undefined;
  /** The tag of a collection; default `Orders` → `orders`, `OrderLines` stays. */
  transformClassCollectionNameToDocumentIdPrefix: (collection: string) => string;
  /** Says which collection a class belongs to; names of classes do not survive minifiers. */
  // biome-ignore lint/suspicious/noExplicitAny: any class
  registerEntityType(type: new (...args: any[]) => object, collection: string): this;
}

/** What kind of error it is; stable across versions. */
export type ErrorCode =
  | "InvalidArgument"
  | "InvalidTag"
  | "InvalidId"
  | "NoCollection"
  | "NonUniqueObject"
  | "Disposed"
  | "Timeout"
  | "Unreachable"
  | "ForeignOrigin"
  | "Server"
  | "Concurrency"
  | "BadAnswer"
  | "Exhausted"
  | "Unsupported"
  | "Dead"
  | "LoadFailed";

/** Every error of this package. `name` is what npm `ravendb` calls the same thing, such as `ConcurrencyException`. */
export class RavenEdgeError extends Error {
  private constructor();
  readonly code: ErrorCode;
  /** RavenDB's exception type in full, when the error is the server's own. */
  readonly type?: string;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** Method and path of the request that failed. */
  readonly request?: string;
  /** On a concurrency error: the document. */
  readonly id?: string;
  /** On a concurrency error: the change vector asked for; empty: "must not exist". */
  readonly expectedChangeVector?: string;
  /** On a concurrency error: the change vector that is there; absent: the document does not exist. */
  readonly actualChangeVector?: string;
}
