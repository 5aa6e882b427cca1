// The text of a document that is inserted. It is made when the app stores the entity, which it may change afterwards.

import { isObject } from "../common/arguments.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { isDate } from "../common/value-kinds.js";
import type { Entity } from "../documents/entity-types.js";
import { refuseInvalidDates } from "../documents/mapping/date-format.js";
import { EntityMapper } from "../documents/mapping/entity-mapper.js";
import { put } from "../documents/snapshots/put-member.js";
import { CLASS, META, NESTED } from "../documents/snapshots/snapshot-values.js";
import { SERVERS } from "../documents/snapshots/snapshots.js";
import type { DocumentConventions } from "../store/conventions.js";

/** Members of metadata. */
export type Metadata = Record<string, unknown>;

/** Collection and class name of an entity; empty: none. */
export type Kind = { collection: string; name: string };

const COLLECTION = "@collection";

/** `@nested-object-types` of the members of an entity that are dates. */
type Dates = Record<string, "date">;

const NO_DATES: Dates = {};

/** What most documents of an insert share. */
interface Common extends Kind {
  dates: Dates;
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
      return this.#text(entity, kind, given);
    } catch (cause) {
      if (cause instanceof RavenEdgeError) throw cause;
      const why = (cause as Error | undefined)?.message ?? cause;
      fail("InvalidOperation", `bulk insert: a document cannot be stored: ${why}`, { cause });
    }
  }

  /** Members are added to the text and removed from it: copies of entities are slow in V8. */
  #text(entity: Entity, kind: Kind, given: Metadata | undefined): string {
    const dates = this.#datesOf(entity);
    if (!dates) {
      const { document, metadata } = this.#mapper.document(entity);
      return closed(JSON.stringify(document), metadataEnd(kind, entity[META], given, metadata?.[NESTED]));
    }
    const own = META in entity ? entity[META] : undefined;
    let source = entity;
    if (dates === NO_DATES && !given && own && isSendable(own, kind)) return this.#withoutId(entity);
    if (dates !== NO_DATES || META in entity) {
      const { [META]: _, ...members } = entity;
      source = members;
      this.#mapper.writeDates(source, dates);
    }
    const text = this.#withoutId(source);
    return closed(text, own || given ? metadataEnd(kind, own, given, dates) : this.#commonEnd(kind, dates));
  }

  #withoutId(entity: Entity): string {
    const identity = this.#mapper.identityOf(entity);
    const text = JSON.stringify(entity);
    if (!identity || !(identity in entity)) return text;
    return without(text, identity, entity[identity]) ?? JSON.stringify({ ...entity, [identity]: undefined });
  }

  /** The members that are dates, if JSON can write all other values; else `undefined`. */
  #datesOf(entity: Entity): Dates | undefined {
    if (this.#conventions.hasLiterals || typeof entity.toJSON === "function") return undefined;
    let dates = NO_DATES;
    for (const name in entity) {
      const value = entity[name];
      if (!isObject(value) || name === META) continue;
      if (!isDate(value)) {
        if (!isPlain(value)) return undefined;
      } else if (Object.hasOwn(entity, name)) {
        if (dates === NO_DATES) dates = {};
        put(dates, name, "date");
      }
    }
    return dates;
  }

  #commonEnd(kind: Kind, dates: Dates): string {
    let common = this.#common;
    if (common?.collection !== kind.collection || common.name !== kind.name || !same(common.dates, dates)) {
      common = { ...kind, dates, end: metadataEnd(kind, undefined, undefined, dates) };
      this.#common = common;
    }
    return common.end;
  }
}

function same(a: Dates, b: Dates): boolean {
  if (a === b) return true;
  let count = 0;
  for (const name in a) {
    if (!b[name]) return false;
    count++;
  }
  return Object.keys(b).length === count;
}

/** A text of an object with another member at its end. */
const closed = (text: string, end: string): string =>
  `${text.slice(0, -1)}${text.length > 2 ? "," : ""}${end}`;

/** A text of an object without its first or last member; `undefined` if it is another one. */
function without(text: string, name: string, value: unknown): string | undefined {
  if (value === undefined) return text;
  const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  if (text.endsWith(`,${member}}`)) return `${text.slice(0, -member.length - 2)}}`;
  const next = text[member.length + 1];
  if (!text.startsWith(member, 1) || (next !== "," && next !== "}")) return undefined;
  return `{${text.slice(member.length + (next === "," ? 2 : 1))}`;
}

/** Whether metadata of an entity can be sent as they are. */
function isSendable(own: Metadata, { collection, name }: Kind): boolean {
  if (name || own[COLLECTION] !== collection) return false;
  for (const member in own)
    if (member !== COLLECTION && (SERVERS.has(member) || member === NESTED)) return false;
  return true;
}

/** The metadata to store, as the last member of a document: those of the entity and of the call, without what the server writes. */
function metadataEnd(
  { collection, name }: Kind,
  own: Metadata | undefined,
  given: Metadata | undefined,
  notes: object | undefined,
): string {
  const made: Metadata = { ...(collection && { [COLLECTION]: collection }), ...(name && { [CLASS]: name }) };
  for (const [member, value] of Object.entries({ ...own, ...given }))
    if (!SERVERS.has(member) && member !== NESTED) put(made, member, value);
  if (given?.[COLLECTION]) made[COLLECTION] = given[COLLECTION];
  if (notes && notes !== NO_DATES) made[NESTED] = notes;
  return `"${META}":${JSON.stringify(made, refuseInvalidDates)}}`;
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
