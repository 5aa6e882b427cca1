// A batch on its way: the text of its commands, and what it says of each document until the server has answered.

import { ofApp, SERVERS } from "./snapshots.js";
import { CLASS, META, NESTED, same } from "./values.js";

/** Characters of a chunk, about: small documents share one `JSON.stringify`, a large one is not joined with others. */
const CHUNK = 1 << 18;
/** The most documents of a chunk, for when large ones follow small ones. */
const MOST = 64;

/** Collection and class of a document that the app's own code has evicted meanwhile. */
const NONE = ["", ""];

export class Sent {
  #tracker;
  #shape;
  /** By this number the core knows the texts of the batch. */
  version = 0;
  #slots = [];
  #was = [];
  #metadata = new Map();
  #parts = [];
  #length = 0;
  /** By slot, notes of the classes of values inside, where there are any. */
  #notes = new Map();
  #body;
  /** The metadata of documents that have none of their own, by what they have in common. */
  #common = new Map();

  constructor(tracker, shape) {
    this.#tracker = tracker;
    this.#shape = shape;
  }

  /** Begins a batch. */
  begin() {
    this.#tracker.snapshots.compact();
  }

  #forget() {
    this.#slots = [];
    this.#was = [];
    this.#metadata.clear();
    this.#parts = [];
    this.#length = 0;
    this.#notes.clear();
    this.#body = undefined;
  }

  /** Adds the text of a command, or of several with commas between them. */
  add(text) {
    this.#parts.push(text);
    this.#length += text.length;
  }

  /** How many documents the next chunk should have. */
  get room() {
    const average = this.#slots.length > 0 ? this.#length / this.#slots.length : CHUNK;
    return Math.max(1, Math.min(MOST, Math.floor(CHUNK / average)));
  }

  /**
   * Adds a `PUT` for each of these commands of a plan; what it says is remembered. `convert` makes another document of an entity,
   * if the app wants to.
   */
  put(plan, convert) {
    const tracker = this.#tracker;
    const commands = [];
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

  #document(slot, entity, convert) {
    const { snapshots, stamps } = this.#tracker;
    const was = Array.isArray(entity) ? undefined : snapshots.keep(entity);
    // The app's code makes the text: once, for what is sent and for what is compared later.
    const shaped = was === undefined ? this.#shape.document(entity) : undefined;
    this.#slots.push(slot);
    this.#was.push(was ?? JSON.stringify(shaped.document));
    const own = snapshots.metadata(entity);
    if (own) this.#metadata.set(slot, own);
    if (shaped?.metadata) this.#notes.set(slot, shaped.metadata[NESTED]);
    const document = shaped?.document ?? copy(entity);
    if (!shaped) document[snapshots.identityIn(entity)] = undefined;
    const shown = entity[META];
    // What was noted when it was loaded may no longer fit the values.
    const isNoted = shaped || shown?.[NESTED] !== undefined;
    if (isNoted) document[META] = { ...shown, [NESTED]: undefined, ...shaped?.metadata };
    const converted = convert ? convert(slot, document) : document;
    converted[META] = this.#stored(stamps.kindIn(slot, shown), converted[META]);
    return converted;
  }

  /** Metadata as they are stored: collection, class, and what the server does not make itself. */
  #stored(kind, metadata) {
    const [collection, name] = kind ?? NONE;
    let common = this.#common.get(kind);
    if (!common) {
      common = {};
      if (collection) common["@collection"] = collection;
      if (name) common[CLASS] = name;
      this.#common.set(kind, common);
    }
    let stored = common;
    if (typeof metadata !== "object") return stored;
    for (const key in metadata) {
      if (SERVERS.has(key) || (key === CLASS && name)) continue;
      if (stored === common) stored = { ...common };
      stored[key] = metadata[key];
    }
    return stored;
  }

  /** Ends the batch; it may be sent to another node when one cannot be reached. `cluster`: it is one transaction of the cluster. */
  finish(cluster) {
    // RavenDB reads the mode only where it follows the array.
    const end = cluster ? '],"TransactionMode":"ClusterWide"}' : "]}";
    this.#body = `{"Commands":[${this.#parts.join(",")}${end}`;
    this.#parts = [];
  }

  /** The whole batch. */
  body() {
    return this.#body;
  }

  /** The save has ended, one way or another: nobody sends the batch again, or compares with it. */
  end() {
    for (const was of this.#was) this.#tracker.snapshots.release(was);
    this.#forget();
  }

  /** What was sent is what the server has. */
  accept() {
    const { snapshots } = this.#tracker;
    this.#slots.forEach((slot, at) => {
      // It may have been evicted meanwhile.
      if (this.#tracker.at(slot) === undefined) snapshots.release(this.#was[at]);
      else snapshots.set(slot, this.#was[at], this.#metadata.get(slot), this.#notes.get(slot));
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

/**
 * A copy of all members, also of one called `__proto__`. V8 of Node 20 copies plain objects faster by a spread, and instances of
 * classes three times faster by a pattern.
 */
function copy(entity) {
  if (entity.constructor === Object) return { ...entity };
  const { ...members } = entity;
  return members;
}

/** A text as the server keeps it: half of a surrogate pair is no character. */
const whole = (_, value) => (typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value);

/** Whether a document of an answer says what was picked for its slot, if anything was: it may have been evicted meanwhile. */
export function says(picked, { [META]: shown, ...found }) {
  if (picked === undefined) return false;
  const { was, metadata } = picked;
  // The class is noted by us, or was when the document was saved first.
  const own = ({ "Raven-Node-Type": _, ...rest }) => ofApp(rest) ?? null;
  return same([found, own(shown)], JSON.parse(JSON.stringify([was, own(metadata ?? {})]), whole));
}

/** What was picked is what the server has. */
export function acceptPicked(snapshots, picked) {
  for (const [slot, { was, metadata }] of picked) snapshots.set(slot, snapshots.keepPlain(was), metadata);
}
