// The documents of a batch: their texts, and the values that were sent, until the outcome is known.

import type { ForcedRevision } from "../capabilities/session-part.js";
import type { Kind } from "../documents/document-versions.js";
import type { Entity } from "../documents/entity-types.js";
import type { Notes } from "../documents/mapping/nested-types.js";
import { same } from "../documents/snapshots/equal-values.js";
import { put } from "../documents/snapshots/put-member.js";
import { CLASS, META, NESTED } from "../documents/snapshots/snapshot-values.js";
import { type Kept, type OwnMetadata, ofApp, SERVERS } from "../documents/snapshots/snapshots.js";
import type { SentDocument } from "../documents/unit-of-work.js";
import type { Parts } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";

/** Approximate characters of a chunk: small documents share one `JSON.stringify`, a large document has its own. */
const CHUNK = 1 << 18;
/** The maximum number of documents in a chunk: large ones may follow small ones. */
const MOST = 64;

/** The capability that makes revisions of documents with a save. */
const REVISIONS = "revisions";

/** Collection and class of a document that code of the app has evicted meanwhile. */
const NONE = ["", ""];

/** The sent values of a batch's documents, until their outcome is known. */
export class SentDocuments {
  #state;
  #convert;
  #slots: number[] = [];
  #was: Kept[] = [];
  /** By slot: metadata of the app. */
  #metadata: (OwnMetadata | undefined)[] = [];
  /** By slot: the classes of values inside (`@nested-object-types`). */
  #notes: object[] = [];
  /** The revisions that the save makes. */
  #revisions: ForcedRevision[] = [];
  /** Characters so far. */
  #length = 0;
  /** Metadata of documents without metadata of the app, by collection and class; made for the `notes` of the last such document. */
  #common = new Map<Kind | undefined, { notes: object | undefined; metadata: OwnMetadata }>();

  /** `convert`: lets listeners replace documents. */
  constructor(state: SessionState, convert: Parts["session"]["converted"] | undefined) {
    this.#state = state;
    this.#convert = convert;
  }

  /** How many documents the next chunk should have. */
  get #room(): number {
    const average = this.#slots.length > 0 ? this.#length / this.#slots.length : CHUNK;
    return Math.max(1, Math.min(MOST, Math.floor(CHUNK / average)));
  }

  /** The texts of `PUT` for these commands of a plan, with commas between them. */
  put(plan: Uint32Array): string {
    let texts = "";
    for (let at = 0; at < plan.length; ) {
      const end = at + this.#room;
      texts = joined(texts, this.#chunk(plan.subarray(at, end)));
      at = end;
    }
    return texts;
  }

  /** The texts of a few of them, made at once. */
  #chunk(plan: Uint32Array): string {
    const { unitOfWork } = this.#state;
    const { versions } = unitOfWork;
    const revisions = unitOfWork.kept.get(REVISIONS);
    const commands: object[] = [];
    for (let at = 0; at < plan.length; at++) {
      const bits = plan[at] as number;
      const slot = bits >>> 8;
      const entity = unitOfWork.at(slot);
      // A getter of another entity has evicted it.
      if (entity === undefined) continue;
      const Document = this.#document(slot, entity);
      const Id = unitOfWork.idAt(slot);
      const revision = revisions?.revisionOf?.(Id);
      if (revision) this.#revisions.push(revision);
      commands.push({
        Type: "PUT",
        Id,
        ChangeVector: versions.expected(bits),
        Document,
        ForceRevisionCreationStrategy: revision?.strategy,
      });
    }
    const text = JSON.stringify(commands).slice(1, -1);
    this.#length += text.length;
    return text;
  }

  #document(slot: number, entity: Entity): Entity {
    const { mapper, unitOfWork } = this.#state;
    const { snapshots, versions } = unitOfWork;
    const was = Array.isArray(entity) ? undefined : snapshots.keep(entity);
    const members = was === undefined ? undefined : snapshots.layout(was).members;
    // The app's code makes the text. It is called once, so that the values kept for later comparison are those that are sent.
    const mapped = members === undefined || members.isOdd ? mapper.document(entity) : undefined;
    const kept = was ?? JSON.stringify(mapped?.document);
    const notes = mapped ? mapped.metadata?.[NESTED] : members?.notes;
    const shown = entity[META];
    this.#slots.push(slot);
    this.#was.push(kept);
    if (notes) this.#notes[slot] = notes;
    const own = shown && snapshots.metadata(shown);
    if (own) this.#metadata[slot] = own;
    const stored = shown
      ? this.#stored(versions.kindIn(slot, shown), shown, notes)
      : this.#commonTo(versions.kindOf(slot), notes);
    const document = mapped?.document ?? copy(entity);
    if (!mapped) {
      const identity = mapper.identityOf(entity);
      if (identity) document[identity] = undefined;
      if (notes) mapper.writeDates(document, notes as Notes);
    }
    const convert = this.#convert;
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
    } = convert(this.#state, slot, document, kept, this.#metadata[slot]);
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

  /** The save has ended: the values are not compared. */
  end(): void {
    for (const was of this.#was.splice(0)) this.#state.unitOfWork.snapshots.release(was);
    this.#slots = [];
  }

  /** The documents were saved: makes the sent values the snapshots. */
  accept(): void {
    const { unitOfWork } = this.#state;
    const was = this.#was;
    this.#was = [];
    for (let at = 0; at < was.length; at++) {
      const slot = this.#slots[at] as number;
      unitOfWork.savedValues(slot, was[at], this.#metadata[slot], this.#notes[slot]);
    }
    for (const revision of this.#revisions) unitOfWork.kept.get(REVISIONS)?.saved?.(revision);
    this.end();
  }

  /** The sent values of these slots, by slot, to be kept while the outcome is unknown. */
  pick(slots: Iterable<number>): Map<number, SentDocument> {
    const { snapshots } = this.#state.unitOfWork;
    const wanted = new Set(slots);
    const picked = new Map<number, SentDocument>();
    this.#slots.forEach((slot, at) => {
      if (!wanted.has(slot)) return;
      picked.set(slot, { was: snapshots.read(this.#was[at] as Kept), metadata: this.#metadata[slot] });
    });
    return picked;
  }
}

/** Texts of commands with a comma between them. The engine makes one text of all when the whole body is encoded. */
export function joined(texts: string, more: string): string {
  return texts && more ? `${texts},${more}` : texts + more;
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
