// The batch of a save: the text of its commands, and the sent values of each document until the response has arrived.

import type { DocumentTracker } from "../documents/document-tracker.js";
import type { Kind } from "../documents/document-versions.js";
import type { Entity, IMetadataDictionary } from "../documents/entity-types.js";
import type { ConvertedDocument } from "../documents/mapping/converted-documents.js";
import type { EntityMapper } from "../documents/mapping/entity-mapper.js";
import type { Notes } from "../documents/mapping/plain-values.js";
import { same } from "../documents/snapshots/equal-values.js";
import type { Members } from "../documents/snapshots/layouts.js";
import { put } from "../documents/snapshots/put-member.js";
import { CLASS, META, NESTED } from "../documents/snapshots/snapshot-values.js";
import {
  type Kept,
  type OwnMetadata,
  ofApp,
  SERVERS,
  type Snapshots,
} from "../documents/snapshots/snapshots.js";
import type { SentDocument } from "../documents/unknown-outcomes.js";

/** Approximate characters of a chunk: small documents share one `JSON.stringify`, a large document has its own. */
const CHUNK = 1 << 18;
/** The maximum number of documents in a chunk: large ones may follow small ones. */
const MOST = 64;

/** Collection and class of a document that code of the app has evicted meanwhile. */
const NONE = ["", ""];

/** The document of an entity, in JSON values. */
type Mapped = ReturnType<EntityMapper["document"]>;

/** A revision that a save makes of a document. */
export interface ForcedRevision {
  readonly strategy: string;
}

/** The documents of which a save makes revisions. */
interface ForcedRevisions {
  /** The revision of a document that is written now. */
  take(id: string): ForcedRevision | undefined;
  saved(forced: ForcedRevision): void;
}

/** Lets listeners replace the document of an entity. */
export type Convert = (
  slot: number,
  document: Entity,
  kept: Kept,
  own: OwnMetadata | undefined,
) => ConvertedDocument;

export class OutgoingBatch {
  #tracker;
  #mapper;
  /** The core's number for this batch: the sent documents are kept under it while the outcome is unknown. */
  version = 0;
  #slots: number[] = [];
  #was: Kept[] = [];
  /** By slot: metadata of the app. */
  #metadata: (OwnMetadata | undefined)[] = [];
  /** By ids: whether the save makes revisions of documents. */
  #forced: ForcedRevisions | undefined;
  /** The revisions that this batch makes. */
  #revisions: ForcedRevision[] = [];
  /** The commands so far, with commas between them. */
  #commands = "";
  /** By slot: the classes of values inside (`@nested-object-types`). */
  #notes: object[] = [];
  #body: string | undefined;
  /** Metadata of documents without metadata of the app, by collection and class; made for the `notes` of the last such document. */
  #common = new Map<Kind | undefined, { notes: object | undefined; metadata: OwnMetadata }>();

  constructor(tracker: DocumentTracker, mapper: EntityMapper) {
    this.#tracker = tracker;
    this.#mapper = mapper;
  }

  /** Takes the core's number for what is sent now. */
  numbered(version: number): void {
    this.version = version;
  }

  /** Which documents get a revision with the save. */
  forceRevisions(forced: ForcedRevisions): void {
    this.#forced = forced;
  }

  #forget(): void {
    this.#slots = [];
    this.#was = [];
    this.#metadata = [];
    this.#commands = "";
    this.#notes = [];
    this.#revisions = [];
    this.#body = undefined;
  }

  /** Adds the text of a command, or of several with commas between them. */
  add(text: string): void {
    // The engine joins the texts once, when the whole body is encoded.
    this.#commands += this.#commands === "" ? text : `,${text}`;
  }

  /** The slots of the documents that are sent. */
  get slots(): readonly number[] {
    return this.#slots;
  }

  /** How many documents the next chunk should have. */
  get room(): number {
    const average = this.#slots.length > 0 ? this.#commands.length / this.#slots.length : CHUNK;
    return Math.max(1, Math.min(MOST, Math.floor(CHUNK / average)));
  }

  /**
   * Adds a `PUT` for each of these commands of a plan, and keeps the sent values. `convert`: lets listeners replace documents.
   */
  put(plan: Iterable<number>, convert: Convert | undefined): void {
    const tracker = this.#tracker;
    const commands: object[] = [];
    for (const bits of plan) {
      const slot = bits >>> 8;
      const entity = tracker.at(slot);
      // A getter of another entity has evicted it.
      if (entity === undefined) continue;
      const Document = this.#document(slot, entity, convert);
      const Id = tracker.idAt(slot);
      const revision = this.#forced?.take(Id);
      if (revision) this.#revisions.push(revision);
      commands.push({
        Type: "PUT",
        Id,
        ChangeVector: tracker.versions.expected(bits),
        Document,
        ForceRevisionCreationStrategy: revision?.strategy,
      });
    }
    if (commands.length > 0) this.add(JSON.stringify(commands).slice(1, -1));
  }

  #document(slot: number, entity: Entity, convert: Convert | undefined): Entity {
    const { snapshots, versions } = this.#tracker;
    const was = Array.isArray(entity) ? undefined : snapshots.keep(entity);
    const members = was === undefined ? undefined : snapshots.layout(was).members;
    // The app's code makes the text. It is called once, so that the values kept for later comparison are those that are sent.
    const mapped = members === undefined || members.isOdd ? this.#mapper.document(entity) : undefined;
    const kept = was ?? JSON.stringify((mapped as Mapped).document);
    const notes = mapped ? mapped.metadata?.[NESTED] : (members as Members).notes;
    const shown = entity[META];
    this.#slots.push(slot);
    this.#was.push(kept);
    const stored = this.#remember(slot, shown, notes);
    const document = mapped?.document ?? copy(entity);
    if (!mapped) {
      const identity = this.#mapper.identityOf(entity);
      if (identity) document[identity] = undefined;
      if (notes) this.#mapper.writeDates(document, notes as Notes);
    }
    if (!convert) {
      document[META] = stored;
      return document;
    }
    // The classes of values may have changed since the document was loaded.
    if (mapped || notes || shown?.[NESTED] !== undefined) document[META] = { ...shown, [NESTED]: notes };
    const {
      document: converted,
      was: agreed,
      metadata,
    } = convert(slot, document, kept, this.#metadata[slot]);
    if (agreed) {
      snapshots.release(kept);
      this.#was[this.#was.length - 1] = snapshots.keepPlain(agreed);
    }
    this.#metadata[slot] = metadata;
    const meta = converted[META];
    const kind = versions.kindIn(slot, shown);
    converted[META] = this.#stored(kind, meta, meta?.[NESTED] as object | undefined);
    return converted;
  }

  /** Remembers metadata and notes of a sent document; returns the metadata to store. */
  #remember(slot: number, shown: IMetadataDictionary | undefined, notes: object | undefined): OwnMetadata {
    const { snapshots, versions } = this.#tracker;
    if (notes) this.#notes[slot] = notes;
    if (shown === undefined) return this.#commonTo(versions.kindOf(slot), notes);
    const own = snapshots.metadata(shown);
    if (own) this.#metadata[slot] = own;
    return this.#stored(versions.kindIn(slot, shown), shown, notes);
  }

  /** The metadata to store: collection, class, classes of values, and all members that the server does not write itself. */
  #stored(kind: Kind | undefined, metadata: unknown, notes: object | undefined): OwnMetadata {
    const common = this.#commonTo(kind, notes);
    let stored = common;
    if (typeof metadata !== "object") return stored;
    for (const key in metadata) {
      if (SERVERS.has(key) || key === NESTED || (key === CLASS && kind?.[1])) continue;
      if (stored === common) stored = { ...common };
      put(stored, key, (metadata as OwnMetadata)[key]);
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

  /** Completes the text of the batch. `cluster`: the batch is a cluster-wide transaction. */
  finish(cluster: boolean): void {
    // RavenDB reads the mode only if it follows the array.
    const end = cluster ? '],"TransactionMode":"ClusterWide"}' : "]}";
    this.#body = `{"Commands":[${this.#commands}${end}`;
    this.#commands = "";
  }

  /** The whole text. It is kept because the batch may be sent to another node. */
  body(): string {
    return this.#body as string;
  }

  /** The save has ended: the batch is not sent again, and its values are not compared. */
  end(): void {
    for (const was of this.#was) this.#tracker.snapshots.release(was);
    this.#forget();
  }

  /** The batch was saved: makes the sent values the snapshots. */
  accept(): void {
    const { snapshots } = this.#tracker;
    for (let at = 0; at < this.#slots.length; at++) {
      const slot = this.#slots[at] as number;
      // The document may have been evicted meanwhile.
      if (this.#tracker.at(slot) === undefined) snapshots.release(this.#was[at]);
      else snapshots.set(slot, this.#was[at], this.#metadata[slot], this.#notes[slot]);
    }
    for (const revision of this.#revisions) this.#forced?.saved(revision);
    this.#forget();
  }

  /** The sent values of these slots, by slot, to be kept while the outcome is unknown. */
  pick(slots: Iterable<number>): Map<number, SentDocument> {
    const { snapshots } = this.#tracker;
    const wanted = new Set(slots);
    const picked = new Map<number, SentDocument>();
    this.#slots.forEach((slot, at) => {
      if (!wanted.has(slot)) return;
      picked.set(slot, { was: snapshots.read(this.#was[at] as Kept), metadata: this.#metadata[slot] });
    });
    return picked;
  }
}

/**
 * A copy of all members, also of one whose name is `__proto__`. V8 in Node 20 copies plain objects faster by a spread, and
 * instances of classes three times faster by a rest pattern.
 */
function copy(entity: Entity): Entity {
  if (entity.constructor === Object) return { ...entity };
  const { ...members } = entity;
  return members;
}

/** A text as the server stores it: a lone surrogate becomes U+FFFD. */
const whole = (_: string, value: unknown) =>
  typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;

/** Whether a document that was read back equals the sent one; `false` if nothing was sent for its slot, or it was evicted meanwhile. */
export function says(picked: SentDocument | undefined, { [META]: shown, ...found }: Entity): boolean {
  if (picked === undefined) return false;
  const { was, metadata } = picked;
  // The class is not compared: this package writes it, now or when the document was first saved.
  const own = ({ [CLASS]: _, ...rest }: OwnMetadata) => ofApp(rest) ?? null;
  return same(
    [found, own(shown as OwnMetadata)],
    JSON.parse(JSON.stringify([was, own(metadata ?? {})]), whole),
  );
}

/** Makes sent documents that were found on the server the snapshots. */
export function acceptPicked(snapshots: Snapshots, picked: Map<number, SentDocument>): void {
  for (const [slot, { was, metadata }] of picked)
    snapshots.set(slot, snapshots.keepPlain(was as Entity), metadata);
}
