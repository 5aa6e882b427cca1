// What the server last said of each document of a session, and whether it must still be so when the document is saved.

/** How a document is checked when it is saved: as the session does, always, never. */
export const AUTO = 0;
export const FORCED = 1;
export const DISABLED = 2;

export class Stamps {
  /** By slot: change vector and time of the last change, `undefined` while the server has not said them. */
  #vectors = [];
  #times = [];
  /** By slot: collection and name of the class, one array for all documents that have them in common. */
  #kinds = [];
  /** By slot, up to the last one that is checked in another way than the session does: most are only loaded. */
  #checks = [];
  #known = new Map();
  #kind = [];
  #time;

  /** A collection and a class, `""` for none. */
  kind(collection = "", name = "") {
    if (collection === this.#kind[0] && name === this.#kind[1]) return this.#kind;
    const key = `${name}\n${collection}`;
    if (!this.#known.has(key)) this.#known.set(key, [collection, name]);
    this.#kind = this.#known.get(key);
    return this.#kind;
  }

  /** The same text for the same time: documents that were saved together have it in common. */
  time(text) {
    if (text !== this.#time) this.#time = text;
    return this.#time;
  }

  /** Makes room: lists that grow one by one are a third larger than they need to be. */
  reserve(length) {
    for (const list of [this.#vectors, this.#times, this.#kinds]) list.length = length;
  }

  /** A document takes a slot. `vector`: as it was loaded, or as the app gave it. */
  add(slot, kind, check, vector, time) {
    this.#kinds[slot] = kind;
    if (check !== AUTO || slot < this.#checks.length) this.#checks[slot] = check;
    this.#vectors[slot] = vector;
    this.#times[slot] = time;
  }

  /** The session is done with a document: nothing is known of its slot. */
  drop(slot) {
    this.add(slot, undefined, AUTO, undefined, undefined);
  }

  /** The app states anew how a document is checked. */
  check(slot, check, vector = this.#vectors[slot]) {
    this.#checks[slot] = check;
    this.#vectors[slot] = vector;
  }

  /** A document was saved or read again: what the server says of it. It may have been made anew in another collection. */
  read(slot, { "@change-vector": vector, "@last-modified": time, "@collection": collection }) {
    this.#vectors[slot] = vector;
    this.#times[slot] = this.time(time);
    if (collection) this.#kinds[slot] = this.kind(collection, this.#kinds[slot]?.[1]);
  }

  vector(slot) {
    return this.#vectors[slot];
  }

  modified(slot) {
    return this.#times[slot];
  }

  /** Collection and class of a document. */
  kindOf(slot) {
    return this.#kinds[slot];
  }

  /** The same, with the collection that its metadata show: the app may have written another one there. */
  kindIn(slot, metadata) {
    const kind = this.#kinds[slot];
    const shown = metadata?.["@collection"];
    return shown == null || shown === kind?.[0] ? kind : this.kind(shown, kind?.[1]);
  }

  /** What the core is told of a document, as bits; see `src/session/slots.rs`. */
  facts(slot, isNamed) {
    const check = this.#checks[slot];
    const isKnown = this.#vectors[slot] !== undefined;
    const isOurs = check === FORCED && !isKnown && isNamed;
    return (check ?? AUTO) | (isKnown ? 4 : 0) | (isOurs ? 8 : 0) | (isNamed ? 0 : 16);
  }

  /** What a command of a plan expects the server to have: a change vector, `""` for no document, `null` for whatever there is. */
  expected(bits) {
    return [null, "", this.#vectors[bits >>> 8] ?? null][(bits >> 2) & 3];
  }
}
