// A batch on its way: the texts that Rust makes it of, and what it says of each document until the server has answered.

import { Bytes } from "./bytes.js";
import { ofApp } from "./snapshots.js";
import { encoder } from "./text.js";
import { META, NESTED, same } from "./values.js";

/** So many bytes are allocated ahead at most: the first documents may be larger than the others. */
const AHEAD = 1 << 23;

export class Sent {
  #tracker;
  #shape;
  #slots = [];
  #was = [];
  #metadata = new Map();
  #text = "";
  /** How many documents are to come, and how many bytes that may be. */
  #left = 0;
  #room = 0;
  #body;

  constructor(tracker, shape) {
    this.#tracker = tracker;
    this.#shape = shape;
  }

  /** Before the first text of a batch of so many documents. */
  begin(count) {
    this.#left = count;
    this.#room = 0;
    const { snapshots } = this.#tracker;
    for (const was of this.#was) snapshots.release(was);
    this.#forget();
    snapshots.compact();
  }

  #forget() {
    this.#slots = [];
    this.#was = [];
    this.#metadata.clear();
    this.#body = undefined;
  }

  /**
   * Makes the text `[[kind, …], id, change vector, number of the kind, entity, …]` and gives its length; what it says is
   * remembered. `strict`: see `Stamps.expected`. `convert` makes another document of an entity, if the app wants to.
   */
  text(slots, strict, convert) {
    const tracker = this.#tracker;
    const kinds = [];
    const texts = [kinds];
    for (const slot of slots) {
      const entity = tracker.at(slot);
      // The app's own code, in a getter of another entity, has taken it out.
      if (entity === undefined) continue;
      const document = this.#document(slot, entity);
      const kind = tracker.stamps.kindOf(slot);
      let number = kinds.indexOf(kind);
      if (number < 0) number = kinds.push(kind) - 1;
      texts.push(tracker.idAt(slot), tracker.expected(slot, strict), number);
      texts.push(convert ? convert(slot, document) : document);
    }
    this.#text = JSON.stringify(texts);
    this.#left -= slots.length;
    this.#room = Math.min(AHEAD, Math.ceil((this.#text.length * 1.25 * this.#left) / slots.length));
    return this.#text.length;
  }

  #document(slot, entity) {
    const { snapshots } = this.#tracker;
    const was = snapshots.keep(entity);
    // The app's code makes the text: once, for what is sent and for what is compared later.
    const shaped = was === undefined ? this.#shape.document(entity) : undefined;
    this.#slots.push(slot);
    this.#was.push(was ?? JSON.stringify(shaped.document));
    const own = snapshots.metadata(entity);
    if (own) this.#metadata.set(slot, own);
    const shown = entity[META];
    if (!shaped && shown?.[NESTED] === undefined) return entity;
    // What was noted when it was loaded may no longer fit the values.
    const metadata = { ...shown, [NESTED]: undefined, ...shaped?.metadata };
    return { ...(shaped?.document ?? entity), [META]: metadata };
  }

  /** Writes that text into wasm memory (room for 3 bytes a unit) and gives the bytes written. */
  fill(memory) {
    const { written } = encoder.encodeInto(this.#text, memory);
    this.#text = "";
    return written;
  }

  /** Keeps a part of a batch, copied out of wasm memory. */
  part(text) {
    // Memory for all of it at once, as far as one can tell: what grows is copied again and again.
    this.#body ??= new Bytes(text.length + this.#room);
    this.#body.add(text);
  }

  /** The whole batch; it may be sent to another node when one cannot be reached. */
  body() {
    return this.#body.whole;
  }

  /** The request has ended, one way or another: nobody sends it again. */
  end() {
    this.#body = undefined;
  }

  /** What was sent is what the server has. */
  accept() {
    const { snapshots } = this.#tracker;
    this.#slots.forEach((slot, at) => {
      // It may have been evicted meanwhile.
      if (this.#tracker.at(slot) === undefined) snapshots.release(this.#was[at]);
      else snapshots.set(slot, this.#was[at], this.#metadata.get(slot));
    });
    this.#forget();
  }

  /** What was sent for these slots, by slot: for when nobody knows whether it has arrived. */
  pick(slots) {
    const { snapshots } = this.#tracker;
    const wanted = new Set(slots);
    const picked = new Map();
    this.#slots.forEach((slot, at) => {
      if (!wanted.has(slot)) return;
      picked.set(slot, { was: snapshots.read(this.#was[at]), metadata: this.#metadata.get(slot) });
    });
    return picked;
  }
}

/** Whether a document of an answer says what was picked for its slot, if anything was: it may have been evicted meanwhile. */
export function says(picked, { [META]: shown, ...found }) {
  if (picked === undefined) return false;
  const { was, metadata } = picked;
  // The class is noted by us, or was when the document was saved first.
  const own = ({ "Raven-Node-Type": _, ...rest }) => ofApp(rest) ?? null;
  return same([found, own(shown)], JSON.parse(JSON.stringify([was, own(metadata ?? {})])));
}

/** What was picked is what the server has. */
export function acceptPicked(snapshots, picked) {
  for (const [slot, { was, metadata }] of picked) snapshots.set(slot, snapshots.keepPlain(was), metadata);
}
