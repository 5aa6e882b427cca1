// The queue's own database in IndexedDB. A write has happened when the `complete` event of its strict transaction has arrived, and not
// before: only then is it on disk.

import { fail, RavenEdgeError } from "../../common/error.js";
import { within } from "../../common/time.js";
import { openDatabase } from "../../device/open-database.js";

/** The name of the database; `tests/support/offline.mjs` opens it, too. */
const NAME = "raven-edge-offline";
/** The version of the format. A newer one is left alone: an older version of the app does not understand it. */
export const FORMAT = 1;
/** The version of the database: 2 has documents, 3 has sets. */
const VERSION = 3;

/** Time limit for opening, in milliseconds; later the device counts as unusable. */
const LIMIT = 5_000;

/** The object stores: three of the queue, and four of documents that are kept. */
export type StoreName = "changes" | "texts" | "queues" | "keeps" | "kept" | "keptTexts" | "sets";

const QUEUE: readonly StoreName[] = ["changes", "texts", "queues"];
export const KEPT: readonly StoreName[] = ["keeps", "kept", "keptTexts", "sets"];

/** The keys of everything that belongs to a user, in all stores but `queues` and `keeps`. */
export const keysOf = (scope: string): IDBKeyRange => IDBKeyRange.bound([scope], [scope, []]);

/** What a transaction can use. */
export type Stores = Record<StoreName, IDBObjectStore>;

/** Why the queue cannot be kept here; `cause` is the reason of the platform. */
export function unusable(cause: unknown, what = "changes"): RavenEdgeError {
  const { name, message } = Object(cause) as { name?: string; message?: string };
  const full = name === "QuotaExceededError" ? "it is full" : (message ?? String(cause));
  return new RavenEdgeError("Storage", `${what} cannot be kept on this device: ${full}`, { cause });
}

/** One connection for all stores of the realm. */
export class QueueDatabase {
  #opening: Promise<IDBDatabase> | undefined;

  #open(): Promise<IDBDatabase> {
    const closed = () => {
      this.#opening = undefined;
    };
    return openDatabase(NAME, VERSION, upgrade, closed, (opening) => within(LIMIT, opening));
  }

  /** The connection, opened if need be; after a failure the next call tries again. */
  async #connection(what?: string): Promise<IDBDatabase> {
    try {
      this.#opening ??= this.#open();
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      const { name } = Object(error) as { name?: string };
      if (name === "VersionError")
        fail("Storage", "a newer version of the app keeps its changes on this device: load it to send them", {
          cause: error,
        });
      throw unusable(error, what);
    }
  }

  /**
   * Reads in one transaction: `work` makes requests, and returns what reads their results once all are there.
   * @throws {RavenEdgeError} `Storage`.
   */
  async read<Result>(work: (stores: Stores) => () => Result): Promise<Result> {
    const db = await this.#connection();
    try {
      const transaction = db.transaction(QUEUE, "readonly");
      const done = ended(transaction);
      const result = work(storesOf(transaction));
      await done;
      return result();
    } catch (error) {
      throw unusable(error);
    }
  }

  /**
   * Writes in one strict transaction, and resolves when it is on disk. Nothing of it is when this rejects. `work` may make further
   * requests while results of the first arrive; it returns what reads the results at the end. `more`: further object stores.
   * @throws {RavenEdgeError} `Storage`.
   */
  async write<Result>(
    work: (stores: Stores, abort: (reason: unknown) => void) => () => Result,
    more: readonly StoreName[] = [],
  ): Promise<Result> {
    const db = await this.#connection();
    let reason: unknown;
    try {
      const transaction = db.transaction([...QUEUE, ...more], "readwrite", { durability: "strict" });
      // After a power cut a change would be lost that was reported as queued.
      if (transaction.durability !== "strict") {
        transaction.abort();
        throw new Error("IndexedDB without strict durability");
      }
      const done = ended(transaction);
      const abort = (given: unknown) => {
        reason = given;
        transaction.abort();
      };
      let result: (() => Result) | undefined;
      try {
        result = work(storesOf(transaction), abort);
      } catch (error) {
        abort(error);
      }
      await done;
      return (result as () => Result)();
    } catch (error) {
      if (reason instanceof RavenEdgeError) throw reason;
      throw unusable(reason ?? error);
    }
  }

  /**
   * Works in one transaction of these stores, by default a relaxed one: `work` may wait for its requests (`got`), and for nothing else.
   * @throws {RavenEdgeError} `Storage`.
   */
  async work<Result>(
    names: readonly StoreName[],
    mode: "readonly" | "readwrite",
    work: (stores: Stores) => Promise<Result>,
    durability: IDBTransactionDurability = "relaxed",
  ): Promise<Result> {
    const db = await this.#connection("documents");
    try {
      const transaction = db.transaction(names, mode, { durability });
      const done = ended(transaction);
      const result = work(storesOf(transaction)).catch((error) => {
        // Over already, if one of its requests has failed.
        if (!transaction.error) transaction.abort();
        throw transaction.error ?? error;
      });
      const [value] = await Promise.all([result, done]);
      return value;
    } catch (error) {
      if (error instanceof RavenEdgeError) throw error;
      throw unusable(error, "documents");
    }
  }
}

/** Makes the object stores. */
function upgrade(db: IDBDatabase, oldVersion: number, transaction: IDBTransaction): void {
  if (oldVersion < 2) {
    db.createObjectStore("keeps", { keyPath: "origin" });
    db.createObjectStore("kept", { keyPath: ["scope", "key"] });
    db.createObjectStore("keptTexts");
  }
  transaction.objectStore("kept").createIndex("sets", "sets", { multiEntry: true });
  db.createObjectStore("sets", { keyPath: ["scope", "name"] });
  if (oldVersion > 0) return;
  // Large texts are apart, so that a page with thousands of changes need not keep them in memory.
  const changes = db.createObjectStore("changes", { keyPath: ["scope", "number"] });
  changes.createIndex("documents", "keys", { multiEntry: true });
  db.createObjectStore("texts");
  db.createObjectStore("queues", { keyPath: "scope" });
}

/** The result of a request. */
export function got<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves when a transaction is complete; there is no limit, because what is half done must not be reported as undone. */
function ended(transaction: IDBTransaction): Promise<void> {
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was aborted"));
  });
  done.catch(() => {});
  return done;
}

/** The stores of a transaction; others cannot be used in it. */
function storesOf(transaction: IDBTransaction): Stores {
  const stores = [...transaction.objectStoreNames].map((name) => [name, transaction.objectStore(name)]);
  return Object.fromEntries(stores) as Stores;
}
