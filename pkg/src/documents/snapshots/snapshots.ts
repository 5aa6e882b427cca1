// The snapshot of each document of a session: its values as they were last sent or loaded, with which the entity is compared.

import { LIST_METADATA, METADATA_COLLECTION } from "../../../gen/protocol.js";
import type { JsonObject } from "../../common/json.js";
import type { Entity, IMetadataDictionary } from "../entity-types.js";
import { refuseInvalidDates } from "../mapping/date-format.js";
import type { EntityMapper } from "../mapping/entity-mapper.js";
import { slotList } from "../slots.js";
import { same } from "./equal-values.js";
import type { Layout } from "./layouts.js";
import { put } from "./put-member.js";
import { META, NESTED, Values } from "./snapshot-values.js";

/** Members of metadata that the server writes. */
export const SERVERS: ReadonlySet<string> = new Set<string>([
  ...LIST_METADATA,
  METADATA_COLLECTION,
  "@attachments",
  "@counters",
  "@timeseries",
]);

/** The snapshot of a document: the place of its values, or its text. */
export type Kept = number | string;

/** The members of a document's metadata that the app has written. */
export type OwnMetadata = Record<string, unknown>;

export class Snapshots {
  /** By slot: the snapshot. */
  #was: (Kept | undefined)[] = slotList();
  /** By slot: metadata of the app. Ends at the last document that has some. Documents with the same metadata share one object. */
  #metadata: (OwnMetadata | undefined)[] = slotList();
  /** The metadata of the app in the last document. */
  #own: OwnMetadata | undefined;
  /** By slot: the classes of values inside, for documents that were saved with such values. */
  #notes = new Map<number, object>();
  #values;
  #mapper;

  /** `mapper`: makes JSON values of values that JSON does not have. */
  constructor(mapper: EntityMapper) {
    this.#mapper = mapper;
    this.#values = new Values(mapper);
  }

  /** Makes the snapshots of loaded documents. */
  addLoaded(first: number, end: number, entities: Entity[]): void {
    this.#was.length = end;
    for (let slot = first; slot < end; slot++) this.update(slot, entities[slot] as Entity);
  }

  /** Whether the document was sent or loaded. */
  has(slot: number): boolean {
    return this.#was[slot] !== undefined;
  }

  isChanged(slot: number, entity: Entity): boolean {
    const was = this.#was[slot];
    if (was === undefined) return true;
    const shown = entity[META];
    const own = this.#metadata[slot];
    if ((shown !== undefined || own !== undefined) && !areOwn(shown, own) && !same(this.metadata(shown), own))
      return true;
    if (typeof was === "number" && this.#values.has(was, entity, this.#mapper.identityOf(entity)))
      return false;
    return this.#differs(entity, was);
  }

  /** Compares the texts of an entity and of its snapshot, whose values differ. */
  #differs(entity: Entity, was: Kept): boolean {
    const now = this.text(entity);
    const before = this.#textOf(was);
    // Another order of members does not change the length.
    return now !== before && (now.length !== before.length || !same(JSON.parse(now), JSON.parse(before)));
  }

  /** The text of an entity, without id and metadata. */
  text(entity: Entity): string {
    return JSON.stringify(this.#mapper.document(entity).document);
  }

  /** Copies the current values of an entity; `undefined` if they have to be kept as text. */
  keep(entity: Entity): number | undefined {
    return this.#values.keep(entity, this.#mapper.identityOf(entity));
  }

  /** The layout of a snapshot. */
  layout(was: number): Layout {
    return this.#values.layout(was);
  }

  /** Makes a snapshot of an object that came from JSON. */
  keepPlain(document: Entity): Kept {
    return this.#values.keep(document) ?? JSON.stringify(document);
  }

  /** The app's part of metadata. */
  metadata(shown: IMetadataDictionary | undefined): OwnMetadata | undefined {
    if (shown === undefined) return;
    if (areOwn(shown, this.#own)) return this.#own;
    const own = ofApp(shown);
    this.#own = own && JSON.parse(JSON.stringify(own, refuseInvalidDates));
    return this.#own;
  }

  /** The app's part of the metadata in the snapshot. */
  own(slot: number): OwnMetadata | undefined {
    return this.#metadata[slot];
  }

  /** Makes the snapshot of a document from the current state of its entity. */
  update(slot: number, entity: Entity): void {
    this.set(slot, this.keep(entity) ?? this.text(entity), this.metadata(entity[META]));
  }

  /** The classes of values inside a document, as it was saved; `undefined`: none. */
  notes(slot: number): object | undefined {
    return this.#notes.get(slot);
  }

  /** Adds a member to the metadata of a snapshot. */
  note(slot: number, name: string, value: unknown): void {
    if (this.has(slot)) this.#metadata[slot] = { ...this.own(slot), [name]: value };
  }

  /** Sets the snapshot of a document; `undefined`: it is dropped. */
  set(
    slot: number,
    was: Kept | undefined,
    metadata?: OwnMetadata | undefined,
    notes?: object | undefined,
  ): void {
    this.release(this.#was[slot]);
    this.#was[slot] = was;
    if (metadata || slot < this.#metadata.length) this.#metadata[slot] = metadata;
    if (notes) this.#notes.set(slot, notes);
    else if (this.#notes.size > 0) this.#notes.delete(slot);
  }

  /** The snapshot as an object, without metadata; `undefined` for a document that was never sent. */
  before(slot: number): JsonObject | undefined {
    const was = this.#was[slot];
    return was === undefined ? was : this.read(was);
  }

  #textOf(was: Kept): string {
    return typeof was === "string" ? was : JSON.stringify(this.#values.object(was));
  }

  /** A snapshot as an object of JSON values: without members that are `undefined`. */
  read(was: Kept): JsonObject {
    return JSON.parse(this.#textOf(was));
  }

  /** A snapshot is no longer needed. */
  release(was: Kept | undefined): void {
    if (typeof was === "number") this.#values.release(was);
  }

  /** Frees the memory of released snapshots. */
  compact(): void {
    this.#values.compact(this.#was);
  }
}

/** Whether a member of metadata is not the app's. Each save writes the classes of values (`@nested-object-types`) again. */
const isServers = (key: string) => key === METADATA_COLLECTION || key === NESTED || SERVERS.has(key);

/** The members of metadata that the app has written; `undefined`: none. */
export function ofApp(metadata: object | undefined): OwnMetadata | undefined {
  let own: OwnMetadata | undefined;
  for (const key in metadata) {
    if (isServers(key)) continue;
    own ??= {};
    put(own, key, (metadata as OwnMetadata)[key]);
  }
  return own;
}

/** Whether the app's members of metadata are those of `own`, compared by `===`. */
function areOwn(metadata: IMetadataDictionary | undefined, own: OwnMetadata | undefined): boolean {
  let left = 0;
  for (const key in metadata) {
    if (isServers(key)) continue;
    const value = (metadata as OwnMetadata)[key];
    if (value === undefined) continue;
    if (own === undefined || own[key] !== value) return false;
    left++;
  }
  for (const _ in own) left--;
  return left === 0;
}
