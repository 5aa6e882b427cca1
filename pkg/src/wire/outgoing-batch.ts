// A batch on its way: the text of its commands, and what it says of each document until the server has answered.

import type { Kind } from "../documents/document-versions.js";
import type { EntityMapper } from "../documents/entity-mapper.js";
import type { Entity } from "../documents/entity-types.js";
import { same } from "../documents/equal-values.js";
import type { Tracker } from "../documents/identity-map.js";
import type { Members } from "../documents/layouts.js";
import { CLASS, META, NESTED, put } from "../documents/snapshot-values.js";
import { type Kept, type OwnMetadata, ofApp, SERVERS, type Snapshots } from "../documents/snapshots.js";
import type { SentDocument } from "../documents/unknown-outcomes.js";

/** Characters of a chunk, about: small documents share one `JSON.stringify`, a large one is not joined with others. */
const CHUNK = 1 << 18;
/** The most documents of a chunk, for when large ones follow small ones. */
const MOST = 64;

/** Collection and class of a document that the app's own code has evicted meanwhile. */
const NONE = ["", ""];

/** An entity as JSON can show it. */
type Shaped = ReturnType<EntityMapper["document"]>;

/** Makes another document of an entity. */
type Convert = (slot: number, document: Entity) => Entity;

export class OutgoingBatch {
  #tracker;
  #shape;
  /** By this number the core knows the texts of the batch. */
  version = 0;
  #slots: number[] = [];
  #was: Kept[] = [];
  /** By slot, what the metadata of the app are, where there are any. */
  #metadata: OwnMetadata[] = [];
  /** The commands so far, with commas between them. */
  #commands = "";
  /** By slot, notes of the classes of values inside, where there are any. */
  #notes: object[] = [];
  #body: string | undefined;
  /** The metadata of documents that have none of their own, by collection and class, with the notes of the last such document. */
  #common = new Map<Kind | undefined, { notes: object | undefined; metadata: OwnMetadata }>();

  constructor(tracker: Tracker, shape: EntityMapper) {
    this.#tracker = tracker;
    this.#shape = shape;
  }

  /** Begins a batch. */
  begin(): void {
    this.#tracker.snapshots.compact();
  }

  #forget(): void {
    this.#slots = [];
    this.#was = [];
    this.#metadata = [];
    this.#commands = "";
    this.#notes = [];
    this.#body = undefined;
  }

  /** Adds the text of a command, or of several with commas between them. */
  add(text: string): void {
    // The engine joins the texts once, when the whole body is encoded.
    this.#commands += this.#commands === "" ? text : `,${text}`;
  }

  /** How many documents the next chunk should have. */
  get room(): number {
    const average = this.#slots.length > 0 ? this.#commands.length / this.#slots.length : CHUNK;
    return Math.max(1, Math.min(MOST, Math.floor(CHUNK / average)));
  }

  /**
   * Adds a `PUT` for each of these commands of a plan; what it says is remembered. `convert` makes another document of an entity,
   * if the app wants to.
   */
  put(plan: Iterable<number>, convert: Convert | undefined): void {
    const tracker = this.#tracker;
    const commands: object[] = [];
    for (const bits of plan) {
      const slot = bits >>> 8;
      const entity = tracker.at(slot);
      // The app's own code, in a getter of another entity, has taken it out.
      if (entity === undefined) continue;
      const Document = this.#document(slot, entity, convert);
      commands.push({
        Type: "PUT",
        Id: tracker.idAt(slot),
        ChangeVector: tracker.stamps.expected(bits),
        Document,
      });
    }
    if (commands.length > 0) this.add(JSON.stringify(commands).slice(1, -1));
  }

  #document(slot: number, entity: Entity, convert: Convert | undefined): Entity {
    const { snapshots, stamps } = this.#tracker;
    const was = Array.isArray(entity) ? undefined : snapshots.keep(entity);
    const layout = was === undefined ? undefined : snapshots.layout(was).members;
    // The app's code makes the text: once, for what is sent and for what is compared later.
    const shaped = layout === undefined || layout.isOdd ? this.#shape.document(entity) : undefined;
    this.#slots.push(slot);
    this.#was.push(was ?? JSON.stringify((shaped as Shaped).document));
    const own = snapshots.metadata(entity);
    if (own) this.#metadata[slot] = own;
    const notes = shaped ? shaped.metadata?.[NESTED] : (layout as Members).notes;
    if (notes) this.#notes[slot] = notes;
    const document = shaped?.document ?? copy(entity);
    if (!shaped) {
      document[snapshots.identityIn(entity)] = undefined;
      for (const name in notes) put(document, name, this.#shape.date(document[name] as Date));
    }
    const shown = entity[META];
    const kind = stamps.kindIn(slot, shown);
    if (!convert) {
      document[META] = this.#stored(kind, shown, notes);
      return document;
    }
    // What was noted when it was loaded may no longer fit the values.
    if (shaped || notes || shown?.[NESTED] !== undefined) document[META] = { ...shown, [NESTED]: notes };
    const converted = convert(slot, document);
    const metadata = converted[META];
    converted[META] = this.#stored(kind, metadata, metadata?.[NESTED] as object | undefined);
    return converted;
  }

  /** Metadata as they are stored: collection, class, notes, and what the server does not make itself. */
  #stored(kind: Kind | undefined, metadata: unknown, notes: object | undefined): OwnMetadata {
    const common = this.#commonTo(kind, notes);
    let stored = common;
    if (typeof metadata !== "object") return stored;
    for (const key in metadata) {
      if (SERVERS.has(key) || key === NESTED || (key === CLASS && kind?.[1])) continue;
      if (stored === common) stored = { ...common };
      stored[key] = (metadata as OwnMetadata)[key];
    }
    return stored;
  }

  #commonTo(kind: Kind | undefined, notes: object | undefined): OwnMetadata {
    let known = this.#common.get(kind);
    if (!known || known.notes !== notes) {
      const [collection, name] = kind ?? NONE;
      known = { notes, metadata: {} };
      if (collection) known.metadata["@collection"] = collection;
      if (name) known.metadata[CLASS] = name;
      if (notes) known.metadata[NESTED] = notes;
      this.#common.set(kind, known);
    }
    return known.metadata;
  }

  /** Ends the batch; it may be sent to another node when one cannot be reached. `cluster`: it is one transaction of the cluster. */
  finish(cluster: boolean): void {
    // RavenDB reads the mode only where it follows the array.
    const end = cluster ? '],"TransactionMode":"ClusterWide"}' : "]}";
    this.#body = `{"Commands":[${this.#commands}${end}`;
    this.#commands = "";
  }

  /** The whole batch. */
  body(): string {
    return this.#body as string;
  }

  /** The save has ended, one way or another: nobody sends the batch again, or compares with it. */
  end(): void {
    for (const was of this.#was) this.#tracker.snapshots.release(was);
    this.#forget();
  }

  /** What was sent is what the server has. */
  accept(): void {
    const { snapshots } = this.#tracker;
    this.#slots.forEach((slot, at) => {
      // It may have been evicted meanwhile.
      if (this.#tracker.at(slot) === undefined) snapshots.release(this.#was[at]);
      else snapshots.set(slot, this.#was[at], this.#metadata[slot], this.#notes[slot]);
    });
    this.#forget();
  }

  /** What was sent for these slots, by slot: for when nobody knows whether it has arrived. */
  pick(slots: Iterable<number>): Map<number, SentDocument> {
    const { snapshots } = this.#tracker;
    const wanted = new Set(slots);
    const picked = new Map<number, SentDocument>();
    this.#slots.forEach((slot, at) => {
      if (!wanted.has(slot)) return;
      picked.set(slot, { was: snapshots.read(this.#was[at]), metadata: this.#metadata[slot] });
    });
    return picked;
  }
}

/**
 * A copy of all members, also of one called `__proto__`. V8 of Node 20 copies plain objects faster by a spread, and instances of
 * classes three times faster by a pattern.
 */
function copy(entity: Entity): Entity {
  if (entity.constructor === Object) return { ...entity };
  const { ...members } = entity;
  return members;
}

/** A text as the server keeps it: half of a surrogate pair is no character. */
const whole = (_: string, value: unknown) =>
  typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;

/** Whether a document of an answer says what was picked for its slot, if anything was: it may have been evicted meanwhile. */
export function says(picked: SentDocument | undefined, { [META]: shown, ...found }: Entity): boolean {
  if (picked === undefined) return false;
  const { was, metadata } = picked;
  // The class is noted by us, or was when the document was saved first.
  const own = ({ [CLASS]: _, ...rest }: OwnMetadata) => ofApp(rest) ?? null;
  return same(
    [found, own(shown as OwnMetadata)],
    JSON.parse(JSON.stringify([was, own(metadata ?? {})]), whole),
  );
}

/** What was picked is what the server has. */
export function acceptPicked(snapshots: Snapshots, picked: Map<number, SentDocument>): void {
  for (const [slot, { was, metadata }] of picked)
    snapshots.set(slot, snapshots.keepPlain(was as Entity), metadata);
}
