// The version of each document of a session: change vector, time, collection and class as the server last reported them, and how
// the version is checked when the document is saved.

import {
  EXPECTS_ABSENT,
  EXPECTS_KNOWN,
  FACTS_CHECKED,
  FACTS_KNOWN,
  FACTS_OURS,
  FACTS_PENDING,
  FACTS_UNCHECKED,
} from "../../gen/protocol.js";
import type { IMetadataDictionary, ServerDocument } from "./entity-types.js";
import { slotList } from "./slots.js";

/** How a document's version is checked by a save: as the session's mode says, always, never. */
export const AUTO = 0;
export const FORCED = FACTS_CHECKED;
export const DISABLED = FACTS_UNCHECKED;

/** The metadata that the server reports for a document that was saved or read. */
export type Reported = Pick<IMetadataDictionary, "@change-vector" | "@last-modified" | "@collection">;

/** Collection, class name, and how the version is checked. */
export type Kind = readonly [collection: string, name: string, check: number];

export class DocumentVersions {
  /** By slot: change vector and time of the last change; `undefined` while they are not known. */
  #vectors: (string | undefined)[] = slotList();
  #times: (string | undefined)[] = slotList();
  /** By slot. Documents of the same kind share one array. It has all slots; the other lists end before documents that were never sent. */
  #kinds: (Kind | undefined)[] = slotList();
  #known = new Map<string, Kind>();
  #kind: Kind = ["", "", AUTO];
  #time: string | undefined;

  /** The array for a collection, a class name (`""`: none), and how the version is checked. */
  kind(collection = "", name = "", check = AUTO): Kind {
    const last = this.#kind;
    if (collection === last[0] && name === last[1] && check === last[2]) return last;
    const key = `${check}${name}\n${collection}`;
    this.#kind = this.#known.get(key) ?? [collection, name, check];
    this.#known.set(key, this.#kind);
    return this.#kind;
  }

  /** Interns timestamps: documents that were saved together share one string. */
  time(text: string | undefined): string | undefined {
    if (text !== this.#time) this.#time = text;
    return this.#time;
  }

  /** Sets the versions of loaded documents, in slots from `first` on. */
  addLoaded(first: number, documents: ServerDocument[]): void {
    const end = first + documents.length;
    // Lists that grow item by item take a third more memory.
    for (const list of [this.#vectors, this.#times, this.#kinds]) list.length = end;
    documents.forEach(({ "@metadata": metadata }, at) => {
      const time = this.time(metadata["@last-modified"]);
      if (time !== undefined) metadata["@last-modified"] = time;
      this.#times[first + at] = time;
      this.#vectors[first + at] = metadata["@change-vector"];
      this.#kinds[first + at] = this.kind(metadata["@collection"]);
    });
  }

  /** Sets the version of a new slot; without `kind`: of one that was dropped. `vector`: that was loaded, or that the app gave. */
  add(slot: number, kind: Kind | undefined, vector?: string): void {
    this.#kinds[slot] = kind;
    if (vector !== undefined) this.#lengthen();
    if (slot >= this.#vectors.length) return;
    this.#vectors[slot] = vector;
    this.#times[slot] = undefined;
  }

  /** Makes room for the change vectors and times of all slots. */
  #lengthen(): void {
    for (const list of [this.#vectors, this.#times]) list.length = this.#kinds.length;
  }

  /** The app has changed how a document is checked. */
  setCheck(slot: number, check: number, vector: string | undefined = this.#vectors[slot]): void {
    const kind = this.#kinds[slot];
    this.#kinds[slot] = this.kind(kind?.[0], kind?.[1], check);
    this.#lengthen();
    this.#vectors[slot] = vector;
  }

  /** Sets the version of a document that was saved or read again. The server may have it in another collection by now. */
  update(
    slot: number,
    { "@change-vector": vector, "@last-modified": time, "@collection": collection }: Reported,
  ): void {
    if (slot >= this.#vectors.length) this.#lengthen();
    this.#vectors[slot] = vector;
    this.#times[slot] = this.time(time);
    const kind = this.#kinds[slot];
    if (collection && collection !== kind?.[0])
      this.#kinds[slot] = this.kind(collection, kind?.[1], kind?.[2]);
  }

  vector(slot: number): string | undefined {
    return this.#vectors[slot];
  }

  modified(slot: number): string | undefined {
    return this.#times[slot];
  }

  /** How the version of a document is checked. */
  checkOf(slot: number): number {
    return this.#kinds[slot]?.[2] ?? AUTO;
  }

  /** Collection and class of a document. */
  kindOf(slot: number): Kind | undefined {
    return this.#kinds[slot];
  }

  /** Collection and class of a document, with the collection in the entity's metadata, which the app may have changed. */
  kindIn(slot: number, metadata: IMetadataDictionary | undefined): Kind | undefined {
    const kind = this.#kinds[slot];
    const shown = metadata?.["@collection"];
    return shown == null || shown === kind?.[0] ? kind : this.kind(shown, kind?.[1], kind?.[2]);
  }

  /** Whether the app has changed the collection in a document's metadata. */
  isMoved(slot: number, metadata: IMetadataDictionary | undefined): boolean {
    return metadata !== undefined && this.kindIn(slot, metadata) !== this.#kinds[slot];
  }

  /** Adds facts about documents for the core to `into` (`FACTS_…`). `pending`: slots without a final id. */
  addFacts(slots: readonly number[], command: number, pending: ReadonlySet<number>, into: number[]): void {
    const vectors = this.#vectors;
    const hasPending = pending.size > 0;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at] as number;
      let facts = this.#kinds[slot]?.[2] ?? AUTO;
      if (hasPending && pending.has(slot)) facts |= FACTS_PENDING;
      else if (facts === FORCED && vectors[slot] === undefined) facts |= FACTS_OURS;
      if (vectors[slot] !== undefined) facts |= FACTS_KNOWN;
      into.push((slot << 8) | (facts << 2) | command);
    }
  }

  /** The change vector that a command of a plan expects; `""`: the document must not exist; `null`: no check. */
  expected(bits: number): string | null {
    const expects = (bits >> 2) & 3;
    if (expects === EXPECTS_KNOWN) return this.#vectors[bits >>> 8] ?? null;
    return expects === EXPECTS_ABSENT ? "" : null;
  }
}
