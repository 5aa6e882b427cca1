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

/** The object stores of the queue, and those of documents that are kept. */
export const QUEUE = ["changes", "texts", "queues"] as const;
export const KEPT = ["keeps", "kept", "keptTexts", "sets"] as const;

export type StoreName = (typeof QUEUE | typeof KEPT)[number];

/** The keys of everything that belongs to a user, in all stores but `queues` and `keeps`. */
export const keysOf = (scope: string): IDBKeyRange => IDBKeyRange.bound([scope], [scope, []]);

/** What a transaction can use. */
export type Stores = Record<StoreName, IDBObjectStore>;

/** Why the queue cannot be kept here; `cause` is the reason of the platform. */
function unusable(cause: unknown, what: string): RavenEdgeError {
  const { name, message } = Object(cause) as { name?: string; message?: string };
  const full = name === "QuotaExceededError" ? "it is full" : (message ?? String(cause));
  return new RavenEdgeError("Storage", `${what} cannot be kept on this device: ${full}`, { cause });
}

/** The connection for all stores of the realm. */
let opening: Promise<IDBDatabase> | undefined;

/** The connection, opened if need be; after a failure the next call tries again. */
async function connection(what: string): Promise<IDBDatabase> {
  const closed = () => {
    opening = undefined;
  };
  try {
    opening ??= openDatabase(NAME, VERSION, upgrade, closed, (given) => within(LIMIT, given));
    return await opening;
  } catch (error) {
    opening = undefined;
    const { name } = Object(error) as { name?: string };
    if (name === "VersionError")
      fail("Storage", "a newer version of the app keeps its changes on this device: load it to send them", {
        cause: error,
      });
    throw unusable(error, what);
  }
}

/**
 * Works in one transaction of these stores, and resolves when it is complete. Nothing of it is written when this rejects. `work` may wait
 * for its requests (`got`), and for nothing else. What writes the queue must be strict.
 * @throws {RavenEdgeError} `Storage`.
 */
export async function inTransaction<Result>(
  names: readonly StoreName[],
  mode: "readonly" | "readwrite",
  work: (stores: Stores) => Promise<Result>,
  durability: IDBTransactionDurability = "relaxed",
): Promise<Result> {
  const isOfQueue = names.includes("queues");
  const what = isOfQueue ? "changes" : "documents";
  const db = await connection(what);
  try {
    const transaction = db.transaction(names, mode, { durability });
    // After a power cut a change would be lost that was reported as queued.
    if (isOfQueue && mode === "readwrite" && transaction.durability !== "strict") {
      transaction.abort();
      throw new Error("IndexedDB without strict durability");
    }
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
    throw unusable(error, what);
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
