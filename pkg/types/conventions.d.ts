// How names, ids and values are made.

import type { DocumentType, EntityType, ObjectTypeDescriptor } from "./entities.js";
import type { DocumentSession, OptimisticConcurrencyMode } from "./session.js";

/** Makes the id of a new entity: a final one, or `people/` or `people|` to have it made. */
export type IdConvention = (database: string, entity: object) => Promise<string> | string;

/**
 * How entities map to collections, classes, tags and ids; names and defaults are those of npm `ravendb`, unless said
 * otherwise. {@link DocumentStore.initialize} freezes them: setting one is `InvalidOperation` then, but for
 * {@link maxNumberOfRequestsPerSession} and {@link findCollectionNameForObjectLiteral}. Classes can be registered any time.
 * A convention that there is not is refused with `InvalidArgument` when it is set.
 */
export class DocumentConventions {
  /** The property that shows an entity its id; default `"id"`. It is not stored in the document. */
  identityProperty: string;
  /** Stands between prefix and number of HiLo ids; one character, default `"/"`. Ids that the server makes have `/`. */
  identityPartsSeparator: string;
  /** Uses only the addresses given, whatever nodes the server knows of; default `false`. */
  disableTopologyUpdates: boolean;
  /** Of new sessions; default `"None"`. */
  optimisticConcurrencyMode: OptimisticConcurrencyMode;
  /** Whether that is not `"None"`; `true` sets `"Writes"`. */
  useOptimisticConcurrency: boolean;
  /** The same. */
  isUseOptimisticConcurrency(): boolean;
  /** The same. */
  setUseOptimisticConcurrency(on: boolean): void;
  /** Requests of a session before it refuses more; default 30. */
  maxNumberOfRequestsPerSession: number;
  /** Milliseconds, for {@link AdvancedSession.waitForIndexesAfterSaveChanges}; default 15,000. */
  waitForIndexesAfterSaveChangesTimeout: number;
  /** Milliseconds, for {@link AdvancedSession.waitForReplicationAfterSaveChanges}; default 15,000. */
  waitForReplicationAfterSaveChangesTimeout: number;
  /** Milliseconds, for {@link RawDocumentQuery.waitForNonStaleResults}; default 15,000. */
  waitForNonStaleResultsTimeout: number;
  /**
   * `"RoundRobin"`: the reads of a session begin with one of the database's nodes, those of the next session with the next;
   * default `"None"`: the node in use. Writes and leases stay with the node in use. (`"FastestNode"` of npm `ravendb` is
   * not there: `Unsupported`.) The server's client configuration may say another one, and
   * {@link maxNumberOfRequestsPerSession}, too.
   */
  readBalanceBehavior: "None" | "RoundRobin";
  /**
   * Bytes of answers to loads and queries that a store keeps, so that the server can say "not modified" (`ETag`, 304)
   * in place of sending them again; default 8,388,608 (npm `ravendb`: 128 MiB), 0: none. The server is always asked:
   * nothing old is ever shown.
   */
  maxHttpCacheSize: number;
  /**
   * Whether a `Date` is stored in UTC, with a `Z`; default `false`: in the time of this place without saying so, as npm
   * `ravendb` does. Set it where dates are asked for in queries, which compare in UTC, and where browsers of several time
   * zones, or a browser and a Worker, share documents.
   */
  storeDatesInUtc: boolean;
  /**
   * Whether a `Date` is stored with the distance of its place from UTC (`…+01:00`; with {@link storeDatesInUtc} `…+00:00`),
   * which every reader understands; default `false`.
   */
  storeDatesWithTimezoneInfo: boolean;
  /**
   * The longest id that may be stored, in bytes of UTF-8; default 512. (Ours: RavenDB's documentation says 2,025, its
   * servers refuse more than 512 from version 5 on.)
   */
  maxIdLength: number;
  /** Whether `\` may be in an id; default `false`. (Ours: the documentation forbids it, the server takes it.) */
  allowBackslashInIds: boolean;
  /**
   * Whether a changed document is saved although JavaScript cannot hold a number in it (9007199254740993); default
   * `false`: `saveChanges` fails with `InexactNumber`. (Ours: npm `ravendb` loses the digits in silence.)
   */
  allowInexactNumbers: boolean;
  /** Milliseconds, where the store has no option `timeout`; default: none, which is 15,000. */
  requestTimeout: number | undefined;
  /** Sends the requests, where the store has no option `fetch`; default: the global `fetch`. Called with texts alone. */
  customFetch: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Taken because npm `ravendb` has it: nothing tells the server which application this is. */
  sendApplicationIdentifier: boolean;
  /**
   * The collection of a class; nothing: the plural of its name.
   *
   * ```ts
   * conventions.findCollectionName = (type) =>
   *   type === Person ? "Persons" : DocumentConventions.defaultGetCollectionName(type);
   * ```
   */
  findCollectionName: ((type: EntityType) => string | null | undefined) | undefined;
  /** The name of a class that its documents note (`Raven-Node-Type`); nothing: that which it is registered by, or its own. */
  findJsTypeName: ((type: EntityType) => string | null | undefined) | undefined;
  /**
   * The class of a document that is loaded without one; nothing: the class that is registered by the name that the document
   * notes. (npm `ravendb` asks it and goes by the note.)
   */
  findJsType: ((id: string, document: object) => ObjectTypeDescriptor | null | undefined) | undefined;
  /** The collection of a plain object that has none in its `@metadata`; nothing: no collection, and a GUID as id. */
  findCollectionNameForObjectLiteral: ((entity: object) => string | null | undefined) | undefined;
  /** The tag of a collection; default `Orders` → `orders`, but `OrderLines` stays. */
  transformClassCollectionNameToDocumentIdPrefix: (collection: string) => string;
  /**
   * Makes the ids of new entities without one, in place of HiLo. Documents under them must not exist yet, for nobody but
   * the app knows whether they are its alone. It has the time limit of a request, and cannot wait for the session whose
   * `store` waits for it: that fails with `Timeout`.
   */
  documentIdGenerator: IdConvention | undefined;
  /** Whether a new or changed entity is not to be saved. */
  shouldIgnoreEntityChanges:
    | ((session: DocumentSession, entity: object, documentId: string) => boolean)
    | undefined;
  /**
   * Makes a class known by name: its documents note it (`Raven-Node-Type`) and become its instances again, and its
   * collection is the plural of that name. Say the name where code is minified: names of classes do not survive.
   *
   * ```ts
   * conventions.registerEntityType(Order, "Order");   // collection Orders, ids orders/1-A
   * ```
   * @param type A class, or `{ name, isType, construct }` for plain objects.
   * @param name Default: the class's own.
   * @throws {RavenEdgeError} `InvalidArgument` for what is neither.
   */
  registerEntityType(type: ObjectTypeDescriptor, name?: string): this;
  /** The same. */
  registerJsType(type: ObjectTypeDescriptor, name?: string): this;
  /** The class of an entity, or the registered type that it is of; `null` for other plain objects. */
  getEntityTypeDescriptor(entity: object): ObjectTypeDescriptor | null;
  /** A type itself, or the one that is registered by this name. */
  getJsTypeByDocumentType(type: DocumentType): ObjectTypeDescriptor | null;
  /** The type of a document that is loaded without one; see {@link findJsType}. */
  getJsType(id: string, document: object): ObjectTypeDescriptor | null;
  /** The name that documents note of a type; see {@link findJsTypeName}. */
  getJsTypeName(type: ObjectTypeDescriptor): string | null;
  /** The next id of an entity, by convention, generator or HiLo. Only of a store's conventions, after `initialize()`. */
  generateDocumentId(database: string, entity: object): Promise<string>;
  /** The property that shows an entity of this class its id, in place of {@link identityProperty}. */
  registerEntityIdPropertyName(type: ObjectTypeDescriptor, property: string): this;
  /**
   * Makes the ids of new entities of a class and those derived from it, as {@link documentIdGenerator} does.
   *
   * ```ts
   * conventions.registerIdConvention(Person, async (_database, entity) => `people/${(entity as Person).email}`);
   * ```
   * @throws {RavenEdgeError} after {@link DocumentStore.initialize}.
   */
  registerIdConvention<T extends object>(
    type: ObjectTypeDescriptor<T>,
    convention: (database: string, entity: T) => Promise<string> | string,
  ): this;
  /** The property that shows an entity of this class its id. */
  getIdentityProperty(type: DocumentType): string;
  /**
   * The collection of a class: {@link findCollectionName}, or the plural of its name.
   * @throws {RavenEdgeError} `InvalidOperation` in pages and Workers before {@link DocumentStore.ready}, where what makes
   * plurals is not loaded yet; Node, Deno and Bun have it at once.
   */
  getCollectionNameForType(type: ObjectTypeDescriptor): string;
  /** The collection that an entity would be stored in; `null`: none. */
  getCollectionNameForEntity(entity: object): string | null;
  /**
   * The plural of a class's name.
   * @throws {RavenEdgeError} as {@link getCollectionNameForType}.
   */
  static defaultGetCollectionName(type: ObjectTypeDescriptor): string;
}
