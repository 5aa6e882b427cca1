// What the server last said of each document of a session, and whether it must still be so when the document is saved.

import {
  EXPECTS_ABSENT,
  EXPECTS_KNOWN,
  FACTS_CHECKED,
  FACTS_KNOWN,
  FACTS_OURS,
  FACTS_PENDING,
  FACTS_UNCHECKED,
} from "../../gen/protocol.js";
import type { IMetadataDictionary } from "./entity-types.js";

/** How a document is checked when it is saved: as the session does, always, never. */
export const AUTO = 0;
export const FORCED = FACTS_CHECKED;
export const DISABLED = FACTS_UNCHECKED;

/** What the server says of a document that was saved or read. */
type Reported = Pick<IMetadataDictionary, "@change-vector" | "@last-modified" | "@collection">;

/** A collection and the name of a class. */
export type Kind = string[];

export class DocumentVersions {
  /** By slot: change vector and time of the last change, `undefined` while the server has not said them. */
  #vectors: (string | undefined)[] = [];
  #times: (string | undefined)[] = [];
  /** By slot: collection and name of the class, one array for all documents that have them in common. */
  #kinds: (Kind | undefined)[] = [];
  /** By slot, up to the last one that is checked in another way than the session does: most are only loaded. */
  #checks: number[] = [];
  #known = new Map<string, Kind>();
  #kind: Kind = [];
  #time: string | undefined;

  /** A collection and a class, `""` for none. */
  kind(collection = "", name = ""): Kind {
    if (collection === this.#kind[0] && name === this.#kind[1]) return this.#kind;
    const key = `${name}\n${collection}`;
    if (!this.#known.has(key)) this.#known.set(key, [collection, name]);
    this.#kind = this.#known.get(key) as Kind;
    return this.#kind;
  }

  /** The same text for the same time: documents that were saved together have it in common. */
  time(text: string | undefined): string | undefined {
    if (text !== this.#time) this.#time = text;
    return this.#time;
  }

  /** Makes room: lists that grow one by one are a third larger than they need to be. */
  reserve(length: number): void {
    for (const list of [this.#vectors, this.#times, this.#kinds]) list.length = length;
  }

  /** A document takes a slot. `vector`: as it was loaded, or as the app gave it. */
  add(
    slot: number,
    kind: Kind | undefined,
    check: number,
    vector?: string | undefined,
    time?: string | undefined,
  ): void {
    this.#kinds[slot] = kind;
    if (check !== AUTO || slot < this.#checks.length) this.#checks[slot] = check;
    this.#vectors[slot] = vector;
    this.#times[slot] = time;
  }

  /** The session is done with a document: nothing is known of its slot. */
  drop(slot: number): void {
    this.add(slot, undefined, AUTO, undefined, undefined);
  }

  /** The app states anew how a document is checked. */
  check(slot: number, check: number, vector: string | undefined = this.#vectors[slot]): void {
    this.#checks[slot] = check;
    this.#vectors[slot] = vector;
  }

  /** A document was saved or read again: what the server says of it. It may have been made anew in another collection. */
  read(
    slot: number,
    { "@change-vector": vector, "@last-modified": time, "@collection": collection }: Reported,
  ): void {
    this.#vectors[slot] = vector;
    this.#times[slot] = this.time(time);
    if (collection) this.#kinds[slot] = this.kind(collection, this.#kinds[slot]?.[1]);
  }

  vector(slot: number): string | undefined {
    return this.#vectors[slot];
  }

  modified(slot: number): string | undefined {
    return this.#times[slot];
  }

  /** Collection and class of a document. */
  kindOf(slot: number): Kind | undefined {
    return this.#kinds[slot];
  }

  /** The same, with the collection that its metadata show: the app may have written another one there. */
  kindIn(slot: number, metadata: IMetadataDictionary | undefined): Kind | undefined {
    const kind = this.#kinds[slot];
    const shown = metadata?.["@collection"];
    return shown == null || shown === kind?.[0] ? kind : this.kind(shown, kind?.[1]);
  }

  /** What the core is told of a document, as bits. */
  facts(slot: number, isNamed: boolean): number {
    const check = this.#checks[slot];
    const isKnown = this.#vectors[slot] !== undefined;
    const isOurs = check === FORCED && !isKnown && isNamed;
    return (
      (check ?? AUTO) |
      (isKnown ? FACTS_KNOWN : 0) |
      (isOurs ? FACTS_OURS : 0) |
      (isNamed ? 0 : FACTS_PENDING)
    );
  }

  /** What a command of a plan expects the server to have: a change vector, `""` for no document, `null` for whatever there is. */
  expected(bits: number): string | null {
    const expects = (bits >> 2) & 3;
    if (expects === EXPECTS_KNOWN) return this.#vectors[bits >>> 8] ?? null;
    return expects === EXPECTS_ABSENT ? "" : null;
  }
}
