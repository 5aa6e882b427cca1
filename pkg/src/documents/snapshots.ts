// What the server has of each document of a session: what was last sent or loaded, to be compared with what entities say now.

import { LIST_METADATA, METADATA_COLLECTION } from "../../gen/protocol.js";
import type { JsonObject } from "../common/json.js";
import type { EntityMapper } from "./entity-mapper.js";
import type { Entity, IMetadataDictionary } from "./entity-types.js";
import { same } from "./equal-values.js";
import type { Layout } from "./layouts.js";
import { META, NESTED, Values } from "./snapshot-values.js";

/** Metadata that the server makes: an app does not change them. */
export const SERVERS: ReadonlySet<string> = new Set<string>([...LIST_METADATA, METADATA_COLLECTION]);

/** What was kept of a document: where its values are, or its text. */
export type Kept = number | string;

/** The app's part of a document's metadata. */
export type OwnMetadata = Record<string, unknown>;

/** The property that shows entities their ids, or a function that names it for each. */
export type Identity = string | ((entity: object) => string);

export class Snapshots {
  /** By slot: where the values are, or the text of what makes its own. */
  #was: (Kept | undefined)[] = [];
  /** By slot, up to the last document that has some: metadata of the app. Documents that have the same share one object. */
  #metadata: (OwnMetadata | undefined)[] = [];
  /** The metadata of the app that were seen last. */
  #own: OwnMetadata | undefined;
  /** Notes of the classes of values inside, of documents that were saved with such. */
  #notes = new Map<number, object>();
  #values;
  #identity: string | undefined;
  #identityOf: ((entity: object) => string) | undefined;
  #shape;

  /**
   * `identity` is the property that shows entities their ids, or a function that names it for each; `shape` knows values
   * that JSON cannot show.
   */
  constructor(identity: Identity, shape: EntityMapper) {
    if (typeof identity === "function") this.#identityOf = identity;
    else this.#identity = identity;
    this.#shape = shape;
    this.#values = new Values(
      (value: object) => shape.isOdd(value),
      shape.hasLiterals,
      (value: unknown) => shape.value(value),
    );
  }

  /** The property that shows an entity its id, which is not stored. */
  identityIn(entity: object): string {
    return this.#identityOf ? this.#identityOf(entity) : (this.#identity as string);
  }

  /** Makes room, in one allocation. */
  reserve(length: number): void {
    this.#was.length = length;
  }

  /** Whether the document was sent or loaded. */
  has(slot: number): boolean {
    return this.#was[slot] !== undefined;
  }

  isChanged(slot: number, entity: Entity): boolean {
    const was = this.#was[slot];
    return was === undefined || !this.#isSame(slot, entity, was);
  }

  #isSame(slot: number, entity: Entity, was: Kept): boolean {
    const own = this.#metadata[slot];
    if (!areOwn(entity[META], own) && !same(this.metadata(entity), own)) return false;
    if (typeof was === "number" && this.#values.has(was, entity, this.identityIn(entity))) return true;
    return !this.#differs(entity, was);
  }

  /** Whether an entity whose values are not those that were kept has another text. */
  #differs(entity: Entity, was: Kept): boolean {
    const now = this.text(entity);
    const before = typeof was === "string" ? was : JSON.stringify(this.read(was));
    // Its members may have another order, which does not change the length.
    return now !== before && (now.length !== before.length || !same(JSON.parse(now), JSON.parse(before)));
  }

  /** The text of an entity, without id and metadata. */
  text(entity: Entity): string {
    return JSON.stringify(this.#shape.document(entity).document);
  }

  /** Keeps what an entity says now; `undefined` where the app's own code makes its text. */
  keep(entity: Entity): number | undefined {
    return this.#values.keep(entity, this.identityIn(entity));
  }

  /** The layout of what was kept. */
  layout(was: number): Layout {
    return this.#values.layout(was);
  }

  /** Keeps what has no code of the app in it. */
  keepPlain(document: Entity): Kept {
    return this.#values.keep(document) ?? JSON.stringify(document);
  }

  /** The app's part of an entity's metadata, as it is now. */
  metadata(entity: Entity): OwnMetadata | undefined {
    const shown = entity[META];
    if (areOwn(shown, this.#own)) return this.#own;
    const own = ofApp(shown);
    this.#own = own && JSON.parse(JSON.stringify(own));
    return this.#own;
  }

  /** The same, as the server has it. */
  own(slot: number): OwnMetadata | undefined {
    return this.#metadata[slot];
  }

  /** What the server has of a document is what its entity shows now. */
  settle(slot: number, entity: Entity): void {
    this.set(slot, this.keep(entity) ?? this.text(entity), this.metadata(entity));
  }

  /** The notes that a document was saved with, `undefined` for none. */
  notes(slot: number): object | undefined {
    return this.#notes.get(slot);
  }

  /** The server has one more member in the metadata of a document. */
  note(slot: number, name: string, value: unknown): void {
    if (this.has(slot)) this.#metadata[slot] = { ...this.own(slot), [name]: value };
  }

  /** What the server has of a document is what was kept. */
  set(
    slot: number,
    was: Kept | undefined,
    metadata: OwnMetadata | undefined,
    notes?: object | undefined,
  ): void {
    this.release(this.#was[slot]);
    this.#was[slot] = was;
    if (metadata || slot < this.#metadata.length) this.#metadata[slot] = metadata;
    if (notes) this.#notes.set(slot, notes);
    else if (this.#notes.size > 0) this.#notes.delete(slot);
  }

  /** The session is done with a document. */
  drop(slot: number): void {
    this.set(slot, undefined, undefined);
  }

  /** What the document was, without metadata; `undefined` for one that was never sent. */
  before(slot: number): JsonObject | undefined {
    return this.read(this.#was[slot]) as JsonObject | undefined;
  }

  /** The values that were kept, as an object. */
  read(was: Kept | undefined): unknown {
    return typeof was === "number" ? this.#values.object(was) : was && JSON.parse(was);
  }

  /** What was kept is no longer needed. */
  release(was: Kept | undefined): void {
    if (typeof was === "number") this.#values.release(was);
  }

  /** Takes back the memory of what was released. */
  compact(): void {
    this.#values.compact(this.#was);
  }
}

/** Whether a member of metadata is not the app's. The notes of types are made anew with each save. */
const isServers = (key: string) => key === METADATA_COLLECTION || key === NESTED || SERVERS.has(key);

/** The part of the metadata that is the app's; `undefined` when there is none. */
export function ofApp(metadata: object | undefined): OwnMetadata | undefined {
  let own: OwnMetadata | undefined;
  for (const key in metadata) {
    if (isServers(key)) continue;
    own ??= {};
    own[key] = (metadata as OwnMetadata)[key];
  }
  return own;
}

/** Whether that part plainly is what `own` says. */
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
