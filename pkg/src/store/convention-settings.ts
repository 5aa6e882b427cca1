// The conventions that an app sets, with their defaults. Names and defaults are those of npm `ravendb`, unless said otherwise.

import { fail, warnOnce } from "../common/error.js";
import type { EntityType, ObjectLiteralDescriptor, ObjectTypeDescriptor } from "../documents/entity-types.js";
import type { DocumentSession } from "../session/document-session-types.js";
import type { OptimisticConcurrencyMode } from "../session/session-options.js";
import { IdConventions } from "./id-conventions.js";

/** Makes the id of a new entity: a complete one, or `people/` or `people|` if the server completes it. */
export type IdConvention = (database: string, entity: object) => Promise<string> | string;

export class ConventionSettings extends IdConventions {
  #generators = new Map<ObjectTypeDescriptor, IdConvention>();
  #concurrency: OptimisticConcurrencyMode = "None";
  /** The member by which the app has set it. */
  #concurrencySetBy: string | undefined;
  #said = new Set<unknown>();

  /** The property that shows an entity its id; default `"id"`. It is not stored in the document. */
  identityProperty = "id";
  /**
   * Whether a `Date` is stored in UTC, with a `Z`; default `false`: in local time without an offset, as npm `ravendb` does. Set it if
   * queries compare dates, which the server does in UTC, and if browsers of several time zones, or a browser and a Worker, share
   * documents.
   */
  storeDatesInUtc = false;
  /**
   * Whether a `Date` is stored with the offset of local time from UTC (`…+01:00`; with {@link storeDatesInUtc} `…+00:00`), which
   * every reader understands; default `false`.
   */
  storeDatesWithTimezoneInfo = false;
  /**
   * Whether cluster-wide saves are checked only by the compare-exchange values of the app: `true` means that RavenDB makes and checks no
   * atomic guards for their documents, so the last writer wins. Default: RavenDB's, which is `false`.
   */
  disableAtomicDocumentWritesInClusterWideTransaction: boolean | undefined;
  /** Requests of a session before it refuses more; default 30. */
  maxNumberOfRequestsPerSession = 30;
  /** Milliseconds, for {@link AdvancedSession.waitForIndexesAfterSaveChanges}; default 15,000. */
  waitForIndexesAfterSaveChangesTimeout = 15_000;
  /** Milliseconds, for {@link AdvancedSession.waitForReplicationAfterSaveChanges}; default 15,000. */
  waitForReplicationAfterSaveChangesTimeout = 15_000;
  /** Milliseconds, for {@link RawDocumentQuery.waitForNonStaleResults}; default 15,000. */
  waitForNonStaleResultsTimeout = 15_000;
  /**
   * `"RoundRobin"`: the reads of a session begin with one of the database's nodes, those of the next session with the next node.
   * Default `"None"`: the node in use. Writes and leases stay with the node in use. (`"FastestNode"` of npm `ravendb` does not
   * exist here: `Unsupported`.) The client configuration of the server can override this and {@link maxNumberOfRequestsPerSession}.
   */
  readBalanceBehavior: "None" | "RoundRobin" = "None";
  /**
   * Bytes of responses to loads and queries that a store keeps, so that the server can respond "not modified" (`ETag`, 304)
   * instead of sending them again; default 8,388,608 (npm `ravendb`: 128 MiB), 0: none. The server is always asked:
   * outdated data is never shown.
   */
  maxHttpCacheSize = 8 * 2 ** 20;
  /** `timeSeriesBatchSize`: the entries of a time series that a bulk insert sends in one command; default 1,024. */
  readonly bulkInsert = { timeSeriesBatchSize: 1_024 };
  /**
   * The longest id that can be stored, in bytes of UTF-8; default 512. (Only here: RavenDB's documentation says 2,025, its
   * servers refuse more than 512 since version 5.)
   */
  maxIdLength = 512;
  /** Whether an id may contain `\`; default `false`. (Only here: the documentation forbids it, the server accepts it.) */
  allowBackslashInIds = false;
  /**
   * Whether a changed document is saved although JavaScript cannot represent a number in it (9007199254740993); default
   * `false`: `saveChanges` fails with `InexactNumber`. (Only here: npm `ravendb` loses the digits without an error.)
   */
  allowInexactNumbers = false;
  /**
   * The collection of a class. Default, also for classes of which the app's function returns nothing: the plural of its name.
   *
   * ```ts
   * const { findCollectionName } = conventions;
   * conventions.findCollectionName = (type) => (type === Person ? "Persons" : findCollectionName(type));
   * ```
   */
  declare findCollectionName: (type: EntityType) => string | null | undefined;
  /** The collection of a plain object that has none in its `@metadata`; nothing: no collection, and a GUID as id. */
  findCollectionNameForObjectLiteral: ((entity: object) => string | null | undefined) | undefined;
  /** The name of a class in the metadata of its documents (`Raven-Node-Type`). Default: the registered name, or its own. */
  declare findJsTypeName: (type: EntityType) => string | null | undefined;
  /**
   * The class of a document that is loaded without one. Default: the class that is registered by the name in the document's
   * metadata. (npm `ravendb` calls it, but uses the name in the metadata.)
   */
  declare findJsType: (id: string, document: object) => ObjectTypeDescriptor | null | undefined;
  /** Milliseconds, if the store has no option `timeout`; default: none, which means 15,000. */
  requestTimeout: number | undefined;
  /** Sends the requests, if the store has no option `fetch`; default: the global `fetch`. It is called with strings only. */
  customFetch: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Accepted because npm `ravendb` has it, but without effect: the name of the application is not sent. */
  sendApplicationIdentifier = false;
  /**
   * Makes the ids of new entities without one, instead of HiLo. Documents with these ids must not exist yet: only the app knows
   * whether another client uses the same ids. It has the time limit of a request, and must not wait for the session whose `store`
   * waits for it: that fails with `Timeout`.
   */
  documentIdGenerator: IdConvention | undefined;
  /** Whether a new or changed entity is left out of saves. */
  shouldIgnoreEntityChanges:
    | ((session: DocumentSession, entity: object, documentId: string) => boolean)
    | undefined;

  /** The tag of a collection. Default, as in RavenDB's clients: `Orders` → `orders`, but `OrderLines` keeps its case. */
  transformClassCollectionNameToDocumentIdPrefix = (collection: string): string =>
    (collection.match(/[A-Z]/g)?.length ?? 0) <= 1 ? collection.toLowerCase() : collection;

  /** The mode of new sessions; default `"None"`. Set this or {@link useOptimisticConcurrency}: both is `InvalidOperation`. */
  get optimisticConcurrencyMode(): OptimisticConcurrencyMode {
    return this.#concurrency;
  }

  set optimisticConcurrencyMode(mode: OptimisticConcurrencyMode) {
    this.#setConcurrency("optimisticConcurrencyMode", mode);
  }

  /** Whether {@link optimisticConcurrencyMode} is not `"None"`; `true` means `"Writes"`. */
  get useOptimisticConcurrency(): boolean {
    return this.#concurrency !== "None";
  }

  set useOptimisticConcurrency(on: boolean) {
    this.#setConcurrency("useOptimisticConcurrency", on ? "Writes" : "None");
  }

  /** One of them would undo the other without an error. */
  #setConcurrency(member: string, mode: OptimisticConcurrencyMode): void {
    this.assertNotFrozen(member);
    this.#concurrencySetBy ??= member;
    if (this.#concurrencySetBy !== member)
      fail("InvalidOperation", `set conventions.${this.#concurrencySetBy} or ${member}, not both`);
    this.#concurrency = mode;
  }

  /** Gives `useOptimisticConcurrency`. */
  isUseOptimisticConcurrency(): boolean {
    return this.useOptimisticConcurrency;
  }

  /** Sets `useOptimisticConcurrency`. */
  setUseOptimisticConcurrency(on: boolean): void {
    this.useOptimisticConcurrency = on;
  }

  /**
   * Makes the ids of new entities of a class and its subclasses, as {@link documentIdGenerator} does.
   *
   * ```ts
   * conventions.registerIdConvention(Person, async (_database, entity) => `people/${(entity as Person).email}`);
   * ```
   * @throws {RavenEdgeError} after {@link DocumentStore.initialize}.
   */
  registerIdConvention<T extends object>(
    type: ObjectTypeDescriptor<T>,
    convention: (database: string, entity: T) => Promise<string> | string,
  ): this {
    this.assertNotFrozen("registerIdConvention");
    this.#generators.set(type, convention as IdConvention);
    return this;
  }

  /**
   * Warns, but not twice about the same.
   * @internal
   */
  warn(text: string, about?: string): void {
    warnOnce(this.#said, text, about);
  }

  /**
   * The function of the app that makes the id of an entity, if there is one.
   * @internal
   */
  generatorOf(entity: object): IdConvention | undefined {
    for (const [type, generate] of this.#generators) {
      const isType = (type as Partial<ObjectLiteralDescriptor>).isType?.(entity);
      if (isType ?? entity instanceof (type as EntityType)) return generate;
    }
    return this.documentIdGenerator;
  }
}
