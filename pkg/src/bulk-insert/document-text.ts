// The text of a document that is inserted. It is made when the app stores the entity, which it may change afterwards.

import { isObject } from "../common/arguments.js";
import { fail, RavenEdgeError } from "../common/error.js";
import type { Entity } from "../documents/entity-types.js";
import { EntityMapper } from "../documents/mapping/entity-mapper.js";
import { CLASS, META, NESTED } from "../documents/snapshots/snapshot-values.js";
import { SERVERS } from "../documents/snapshots/snapshots.js";
import type { DocumentConventions } from "../store/conventions.js";

/** Members of metadata. */
export type Metadata = Record<string, unknown>;

/** Collection and class name of an entity; empty: none. */
export type Kind = { collection: string; name: string };

const COLLECTION = "@collection";

/** The members of an entity that are dates. */
type Dates = Record<string, "date">;

const NO_DATES: Dates = {};

/** What most documents of an insert share. */
interface Common extends Kind {
  metadata: Metadata;
  /** What follows the members of a document. */
  end: string;
}

export class DocumentTexts {
  #conventions;
  #mapper;
  /** Of the last document: the next one is mostly of the same kind. */
  #common: Common | undefined;

  constructor(conventions: DocumentConventions) {
    this.#conventions = conventions;
    this.#mapper = new EntityMapper(conventions);
  }

  /**
   * An entity as a document, in JSON. `given`: metadata that the app passed.
   * @throws {RavenEdgeError} `InvalidOperation` if JSON cannot express the entity.
   */
  text(entity: Entity, kind: Kind, given: Metadata | undefined): string {
    try {
      return this.#text(entity, this.#commonTo(kind), given);
    } catch (cause) {
      if (cause instanceof RavenEdgeError) throw cause;
      const why = (cause as Error | undefined)?.message ?? cause;
      fail("InvalidOperation", `bulk insert: a document cannot be stored: ${why}`, { cause });
    }
  }

  #text(entity: Entity, common: Common, given: Metadata | undefined): string {
    const conventions = this.#conventions;
    const identity = conventions.hasOwnIdentities
      ? conventions.identityOf(entity)
      : conventions.identityProperty;
    const dates = this.#datesOf(entity);
    if (dates === NO_DATES && !given && !(identity in entity) && !(META in entity)) {
      const text = JSON.stringify(entity);
      return `${text.slice(0, -1)}${text.length > 2 ? "," : ""}${common.end}`;
    }
    let document: Entity;
    let notes: object | undefined;
    if (dates) {
      document = copy(entity);
      document[identity] = undefined;
      if (dates !== NO_DATES) {
        this.#mapper.writeDates(document, dates);
        notes = dates;
      }
    } else {
      const mapped = this.#mapper.document(entity);
      document = mapped.document;
      notes = mapped.metadata?.[NESTED];
    }
    document[META] = metadataOf(common.metadata, entity[META], given, notes);
    return JSON.stringify(document);
  }

  /** The members that are dates, if JSON can write all other values; else `undefined`. */
  #datesOf(entity: Entity): Dates | undefined {
    if (this.#conventions.hasLiterals || typeof entity.toJSON === "function") return undefined;
    let dates = NO_DATES;
    for (const name in entity) {
      const value = entity[name];
      if (!isObject(value) || name === META) continue;
      if (!(value instanceof Date)) {
        if (!isPlain(value)) return undefined;
      } else if (Object.hasOwn(entity, name)) {
        if (dates === NO_DATES) dates = {};
        dates[name] = "date";
      }
    }
    return dates;
  }

  #commonTo({ collection, name }: Kind): Common {
    const last = this.#common;
    if (last && last.collection === collection && last.name === name) return last;
    const metadata = { ...(collection && { [COLLECTION]: collection }), ...(name && { [CLASS]: name }) };
    this.#common = { collection, name, metadata, end: `"${META}":${JSON.stringify(metadata)}}` };
    return this.#common;
  }
}

/** The metadata to store: those of the entity and of the call, without what the server writes. */
function metadataOf(
  common: Metadata,
  own: Metadata | undefined,
  given: Metadata | undefined,
  notes: object | undefined,
): Metadata {
  if (!own && !given && !notes) return common;
  const made: Metadata = { ...common };
  for (const [member, value] of Object.entries({ ...own, ...given }))
    if (!SERVERS.has(member) && member !== NESTED) made[member] = value;
  if (given?.[COLLECTION]) made[COLLECTION] = given[COLLECTION];
  if (notes) made[NESTED] = notes;
  return made;
}

/** As in `wire/outgoing-batch.ts`. */
function copy(entity: Entity): Entity {
  if (entity.constructor === Object) return { ...entity };
  const { ...members } = entity;
  return members;
}

/** Whether JSON can write a value and what is inside: plain objects and lists. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) {
    for (const item of value) if (isObject(item) && !isPlain(item)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const name in value) {
    const inner = (value as Metadata)[name];
    if (isObject(inner) && !isPlain(inner)) return false;
  }
  return true;
}
