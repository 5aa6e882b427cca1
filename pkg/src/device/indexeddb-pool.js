// Parked numbers in IndexedDB. Each move is one transaction in which the core decides and nothing is awaited; what was
// taken out is used only when the transaction is complete, and on disk.

import { REPLY_LOST, REPLY_MOVED } from "../../gen/protocol.js";
import { RavenEdgeError } from "../common/error.js";
import { within } from "../common/timeout.js";

const VERSION = 1;
const RANGES = "ranges";

/** How long a move may take, in milliseconds; then what it moves is burnt, whatever becomes of it. */
const LIMIT = 1_000;

/** And how long then what has come while the page was busy. */
const MOMENT = 250;

/** What a task is told of a move. */
const MOVED = [REPLY_MOVED, new Uint8Array()];
const LOST = [REPLY_LOST, new Uint8Array()];

/** After so many failures in a row the device is left alone: ids then come from memory. */
const ENOUGH = 2;

const WEAK = new Error("IndexedDB without strict durability");

export class Pool {
  #opening;
  #failures = 0;
  #watchers = new Set();
  #trouble;

  /** Whether numbers can be parked here, as far as is known. */
  get usable() {
    return this.#failures < ENOUGH;
  }

  /** Calls `watcher(error)` when a move fails, or soon where all has failed already; gives the function that ends it. */
  onTrouble(watcher) {
    this.#watchers.add(watcher);
    if (!this.usable) queueMicrotask(() => watcher(this.#trouble));
    return () => this.#watchers.delete(watcher);
  }

  /** Opens the database, so that the first move need not wait for it. */
  open() {
    this.#opening ??= this.#open();
    this.#opening.catch((error) => this.#failed(error, ENOUGH));
    return this.#opening;
  }

  async #open() {
    let late = false;
    const opening = new Promise((resolve, reject) => {
      const request = indexedDB.open("raven-edge", VERSION);
      request.onupgradeneeded = () => request.result.createObjectStore(RANGES);
      request.onblocked = () => reject(new Error("IndexedDB is in use by another version"));
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const db = request.result;
        if (late) return db.close();
        // Another version wants it, or the user has cleared the site's data: the next move finds out what is left.
        db.onversionchange = db.onclose = ({ type }) => {
          this.#drop(db);
          this.#failed(new Error(`IndexedDB was taken away (${type})`), this.#failures);
        };
        resolve(db);
      };
    });
    const db = await inTime(opening);
    late = !db;
    return db ?? Promise.reject(new Error("IndexedDB does not open"));
  }

  #drop(db) {
    db.close();
    this.#opening = undefined;
  }

  /**
   * One move: `known` is the incarnation that the store has last heard of, `decide(record, incarnation)` gives the record's new
   * text, or nothing where it stays as it is. Resolves with what the task wants to know. A `strict` one is on disk by then.
   */
  async move(key, database, strict, known, decide) {
    const after = await this.#transact(strict, ({ ranges, abort }) => {
      const incarnation = ranges.get(database);
      const record = ranges.get(key);
      record.onsuccess = () => {
        try {
          const text = decide(textOf(record.result), textOf(incarnation.result));
          if (text === undefined) return;
          ranges.put(text, key);
          // Should the note of it have been lost. Who was overtaken by a newer one writes nothing.
          if (known && known !== incarnation.result) ranges.put(known, database);
        } catch (error) {
          abort(error);
        }
      };
    });
    return after ? MOVED : LOST;
  }

  /** Notes which incarnation of a database was seen last: an offline start goes by it. */
  note(database, incarnation) {
    return this.#transact(false, ({ ranges }) => ranges.put(incarnation, database));
  }

  /** The keys that begin like this. */
  async keys(prefix) {
    let found;
    const read = await this.#transact(false, ({ ranges }) => {
      found = ranges.getAllKeys(IDBKeyRange.bound(prefix, `${prefix}\uffff`));
    });
    return read ? found.result : [];
  }

  /** Whether a transaction went through in time. */
  async #transact(strict, work) {
    if (!this.usable) return false;
    // Those that were under way together and failed, in a page that was busy, are one failure.
    const failures = this.#failures + 1;
    let transaction;
    let over = false;
    const through = async () => {
      const db = await this.open();
      if (!over)
        await new Promise((resolve, reject) => {
          transaction = this.#begin(db, strict);
          transaction.oncomplete = resolve;
          transaction.onabort = () => reject(transaction.error);
          const abort = (error) => {
            reject(error);
            transaction.abort();
          };
          work({ ranges: transaction.objectStore(RANGES), abort });
        });
      return true;
    };
    try {
      if (!(await inTime(through()))) throw new Error("IndexedDB does not answer");
      this.#failures = 0;
      return true;
    } catch (error) {
      over = true;
      abandon(transaction);
      this.#failed(error, error === WEAK ? ENOUGH : failures);
      return false;
    }
  }

  #begin(db, strict) {
    try {
      const transaction = db.transaction(RANGES, "readwrite", { durability: strict ? "strict" : "relaxed" });
      // A take-out that is not on disk may be undone by a power cut, and its numbers come again.
      if (strict && transaction.durability !== "strict") throw WEAK;
      return transaction;
    } catch (error) {
      this.#drop(db);
      throw error;
    }
  }

  #failed(cause, failures) {
    if (!this.usable) return;
    this.#failures = Math.max(this.#failures, failures);
    const text = `numbers cannot be parked on this device: ${cause?.message ?? cause}`;
    this.#trouble = new RavenEdgeError("Storage", text, { cause });
    for (const watcher of this.#watchers) watcher(this.#trouble);
  }
}

async function inTime(promise) {
  return (await within(LIMIT, promise)) ?? within(MOMENT, promise);
}

function abandon(transaction) {
  try {
    transaction?.abort();
  } catch {
    // It is over already.
  }
}

/** What is no text was not written here, and counts as nothing. */
function textOf(value) {
  return typeof value === "string" ? value : undefined;
}
