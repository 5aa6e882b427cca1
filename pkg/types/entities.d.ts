// What an entity is, and what a session knows of it.

/**
 * The metadata of a document: what RavenDB says (`@collection`, `@id`, `@change-vector`, `@last-modified`), what it
 * understands (`@expires`, `@refresh`), and whatever the app adds. A value changed, added or removed is a change of the
 * document; what RavenDB itself says is never sent back.
 */
export interface IMetadataDictionary {
  "@collection"?: string;
  "@id"?: string;
  "@change-vector"?: string;
  "@last-modified"?: string;
  [name: string]: unknown;
}

/**
 * A document that was loaded as a plain object shows its id and metadata. Without a type it is an `object`, as in npm
 * `ravendb`.
 */
export type Tracked<T extends object> = T &
  ([keyof T] extends [never] ? unknown : { id: string; "@metadata": IMetadataDictionary });

/**
 * A class of the app, of which documents become instances; made without arguments, fields assigned afterwards. A
 * constructor that fails without them is done without.
 */
// biome-ignore lint/suspicious/noExplicitAny: any class
export type EntityType<T extends object = object> = new (...args: any[]) => T;

/** By this name in npm `ravendb`. */
export type EntityConstructor<T extends object = object> = EntityType<T>;

/** What describes entities that are plain objects. */
export interface ObjectLiteralDescriptor<T extends object = object> {
  /** As documents note it (`Raven-Node-Type`); their collection is its plural. */
  name: string;
  /** Whether a plain object is such an entity. */
  isType(object: object): boolean;
  /** Makes the entity of what a document says. */
  construct(document: object): T;
}

/** A class, or what describes plain objects. */
export type ObjectTypeDescriptor<T extends object = object> = EntityType<T> | ObjectLiteralDescriptor<T>;

/** The same, or the name that one is registered by. */
export type DocumentType<T extends object = object> = ObjectTypeDescriptor<T> | string;

/** Documents by the ids asked for, in that order; `null` where there is none. */
export interface EntitiesCollectionObject<T> {
  [id: string]: T | null;
}

/** What a session knows of a document. */
export interface EntityInfo {
  readonly id: string;
  /** Absent for what was deleted by id, or is known not to exist. */
  readonly entity: object | undefined;
  /** Whether it is to be deleted; also `true` for what is known not to exist. */
  readonly isDeleted: boolean;
}
