// What an entity is, and what a session knows of it. Types alone.

import type { AttachmentDetails } from "../attachments/attachment-types.js";

/**
 * The metadata of a document: what RavenDB reports (`@collection`, `@id`, `@change-vector`, `@last-modified`), what it
 * understands (`@expires`, `@refresh`), and whatever the app adds. A value that is changed, added or removed is a change of the
 * document; the members that RavenDB itself writes are never sent back.
 */
export interface IMetadataDictionary extends MetadataObject {
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, metadata of the app have any type
  [name: string]: any;
}

/** By this name in npm `ravendb`. */
export type IRawMetadataDictionary = IMetadataDictionary;

/** Metadata of RavenDB. */
export interface MetadataObject {
  "@collection"?: string;
  "@id"?: string;
  "@change-vector"?: string;
  "@last-modified"?: string;
  "@flags"?: string;
  "@expires"?: string;
  "@attachments"?: AttachmentDetails[];
  "@counters"?: string[];
  "@timeseries"?: string[];
  "@nested-object-types"?: Record<string, unknown> | undefined;
  "Raven-Node-Type"?: string;
}

/**
 * A document that was loaded as a plain object shows its id and metadata. Without a type it is an `object`, as in npm
 * `ravendb`.
 */
export type Tracked<T extends object> = T &
  ([keyof T] extends [never] ? unknown : { id: string; "@metadata": IMetadataDictionary });

/**
 * A class of the app. Documents become its instances: it is called without arguments, then fields are assigned. If the constructor
 * fails without arguments, the instance is made without calling it.
 */
// biome-ignore lint/suspicious/noExplicitAny: any class, as in npm `ravendb`
export type EntityType<T extends object = object> = new (...args: any[]) => T;

/** {@link EntityType} under its name in npm `ravendb`. */
export type EntityConstructor<T extends object = object> = EntityType<T>;

/** Describes entities that are plain objects. */
export interface ObjectLiteralDescriptor<T extends object = object> {
  /** The name in the metadata of documents (`Raven-Node-Type`); their collection is its plural. */
  name: string;
  /** Whether a plain object is such an entity. */
  isType(object: object): boolean;
  /** Makes the entity from a document. */
  construct(document: object): T;
}

/** A class, or the description of plain objects. */
export type ObjectTypeDescriptor<T extends object = object> = EntityType<T> | ObjectLiteralDescriptor<T>;

/** {@link EntityType} under another name in npm `ravendb`. */
export type ClassConstructor<T extends object = object> = EntityType<T>;

/** A field of documents of a type, or any other text. */
export type Field<T> = (keyof T & string) | (string & {});

/** What ends by {@link dispose}. */
export interface IDisposable<T = void> {
  dispose(): T;
}

/** A class, the description of plain objects, or the name under which one is registered. */
export type DocumentType<T extends object = object> = ObjectTypeDescriptor<T> | string;

/** Documents by the requested ids, in that order; `null` if a document does not exist. */
export interface EntitiesCollectionObject<T> {
  [id: string]: T | null;
}

/** What a session knows of a document. */
export interface EntityInfo {
  readonly id: string;
  /** Absent for a document that was deleted by id, or is known not to exist. */
  readonly entity: object | undefined;
  /** Whether it is to be deleted; also `true` for a document that is known not to exist. */
  readonly isDeleted: boolean;
}

/**
 * An entity, or a document, as this package reads its members.
 * @internal
 */
export interface Entity {
  "@metadata"?: IMetadataDictionary | undefined;
  [name: string]: unknown;
}

/**
 * A document as the server sends it. Parts of documents and results of groups have metadata without an id.
 * @internal
 */
export interface ServerDocument extends Entity {
  "@metadata": Required<IMetadataDictionary>;
}

/**
 * Makes the entities of documents.
 * @internal
 */
export interface EntityMaker {
  entity(document: ServerDocument, type?: ObjectTypeDescriptor): Entity;
}

/**
 * The numbers of a response that JavaScript cannot hold exactly, by id.
 * @internal
 */
export type InexactNumbers = ReadonlyMap<string, string[]>;

/** The property that shows entities their ids, or a function that names it for each; empty: none. */
export type Identity = string | null | undefined | ((entity: object) => string | null | undefined);
