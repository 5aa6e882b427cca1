// Parked numbers in IndexedDB. Each move is one transaction in which the core decides and nothing is awaited. Numbers that were
// taken out are used only when the transaction is complete, and on disk.

import { REPLY_LOST, REPLY_MOVED } from "../../gen/protocol.js";
import { RavenEdgeError } from "../common/error.js";
import { within } from "../common/time.js";
import type { KnownTexts } from "../core/known-texts.js";
import type { Reply } from "../runtime/core.js";
import { openDatabase } from "./open-database.js";

const VERSION = 1;
const RANGES = "ranges";

/** The time limit of a move, in milliseconds; after it, the numbers of the move are burnt, even if it completes later. */
const LIMIT = 1_000;

/** Further time, in milliseconds, for results that arrived while the page was busy. */
const MOMENT = 250;

/** After so many failures in a row the device is not used any more: ids then come from memory. */
const ENOUGH = 2;

/** What a transaction does. */
type Work = (given: { ranges: IDBObjectStore; abort(error: unknown): void }) => void;

export class Pool {
  #opening: Promise<IDBDatabase> | undefined;
  #failures = 0;
  #watchers = new Set<(error: RavenEdgeError) => void>();
  #trouble: RavenEdgeError | undefined;

  /** Whether numbers can be parked here, as far as is known. */
  get usable(): boolean {
    return this.#failures < ENOUGH;
  }

  /**
   * Calls `watcher(error)` when a move fails, and once in a microtask if the pool has become unusable before; returns the function
   * that ends it.
   */
  onTrouble(watcher: (error: RavenEdgeError) => void): () => void {
    this.#watchers.add(watcher);
    if (!this.usable) queueMicrotask(() => watcher(this.#trouble as RavenEdgeError));
    return () => this.#watchers.delete(watcher);
  }

  /** Opens the database, so that the first move need not wait for it. */
  open(): Promise<IDBDatabase> {
    const upgrade = (db: IDBDatabase) => db.createObjectStore(RANGES);
    const closed = (why: string) => {
      // The next move finds out what is left.
      this.#opening = undefined;
      this.#failed(`IndexedDB was closed (${why})`, this.#failures);
    };
    this.#opening ??= openDatabase("raven-edge", VERSION, upgrade, closed, inTime);
    this.#opening.catch((error) => this.#failed(error, ENOUGH));
    return this.#opening;
  }

  /**
   * One move: `known` is the latest incarnation that a response has named, `decide(record, incarnation)` returns the record's new
   * text, or `undefined` if it stays as it is; it may throw. Resolves with what the task gets. A `strict` move is on disk by then.
   */
  async move(
    key: string,
    database: string,
    strict: boolean,
    known: string | undefined,
    decide: (record: string | undefined, incarnation: string | undefined) => unknown,
  ): Promise<Reply> {
    const after = await this.#transact(strict, ({ ranges, abort }) => {
      const incarnation = ranges.get(database);
      const record = ranges.get(key);
      record.onsuccess = () => {
        try {
          const text = decide(textOf(record.result), textOf(incarnation.result));
          if (text === undefined) return;
          ranges.put(text, key);
          // The note of it may have been lost. A client that knows only an older incarnation writes nothing.
          if (known && known !== incarnation.result) ranges.put(known, database);
        } catch (error) {
          abort(error);
        }
      };
    });
    return [after ? REPLY_MOVED : REPLY_LOST, new Uint8Array()];
  }

  /**
   * Notes the latest incarnation of a database: an offline start compares with it. Also if this page parks nothing: another version of the
   * package may have numbers here of the incarnation before.
   */
  note(database: string, incarnation: string): Promise<boolean> {
    return this.#transact(false, ({ ranges }) => ranges.put(incarnation, database), true);
  }

  /** The keys that begin with a prefix. */
  async keys(prefix: string): Promise<string[]> {
    let found: IDBRequest<IDBValidKey[]> | undefined;
    const read = await this.#transact(false, ({ ranges }) => {
      found = ranges.getAllKeys(IDBKeyRange.bound(prefix, `${prefix}\uffff`));
    });
    return read ? (found?.result as string[]) : [];
  }

  /** Whether a transaction has completed in time. */
  async #transact(strict: boolean, work: Work, always = false): Promise<boolean> {
    if (!always && !this.usable) return false;
    // If several transactions of a busy page fail at the same time, they count as one failure.
    const failures = this.#failures + 1;
    let transaction: IDBTransaction | undefined;
    let over = false;
    const through = async () => {
      const db = await this.open();
      if (!over)
        await new Promise((resolve, reject) => {
          const begun = this.#begin(db, strict);
          transaction = begun;
          begun.oncomplete = resolve;
          begun.onabort = () => reject(begun.error);
          const abort = (error: unknown) => {
            reject(error);
            begun.abort();
          };
          work({ ranges: begun.objectStore(RANGES), abort });
        });
      return true;
    };
    try {
      if (!(await inTime(through()))) throw new Error("IndexedDB does not respond");
      if (this.usable) this.#failures = 0;
      return true;
    } catch (error) {
      over = true;
      try {
        transaction?.abort();
      } catch {
        // It is over already.
      }
      // A text says why the device is of no use; what the platform throws may pass.
      this.#failed(error, typeof error === "string" ? ENOUGH : failures);
      return false;
    }
  }

  #begin(db: IDBDatabase, strict: boolean): IDBTransaction {
    try {
      const transaction = db.transaction(RANGES, "readwrite", { durability: strict ? "strict" : "relaxed" });
      // After a power cut, a move that was not on disk would be undone, and its numbers would be issued again.
      if (strict && transaction.durability !== "strict") throw "IndexedDB without strict durability";
      return transaction;
    } catch (error) {
      db.close();
      this.#opening = undefined;
      throw error;
    }
  }

  #failed(cause: unknown, failures: number): void {
    if (!this.usable) return;
    this.#failures = Math.max(this.#failures, failures);
    const text = `numbers cannot be parked on this device: ${(cause as Error | null)?.message ?? cause}`;
    this.#trouble = new RavenEdgeError("Storage", text, { cause });
    for (const watcher of this.#watchers) watcher(this.#trouble);
  }
}

async function inTime<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  return (await within(LIMIT, promise)) ?? within(MOMENT, promise);
}

/** A value that is not a text was not written by this package, and is ignored. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

// The record of a tag's parked numbers, as text and as numbers. It has a version, and is rejected as a whole if any part differs from what
// was written: its numbers are burnt, because guessing them could issue an id twice. The twin of `src/pool/record_text.rs`.

/**
 * Versions of the format. A record without tokens has the first one, so that pages that still run the release before can use it beside this
 * one.
 */
const PLAIN = 1;
const WITH_TOKENS = 2;

/** The version of a text, also of later releases. */
const FORMAT = /^\{"version":(\d+)/;

interface StoredRecord {
  version: number;
  incarnation: string;
  /** The last three: what a gateway gave with a lease in place of the fence, and the whole lease. */
  parked: [
    low: number,
    high: number,
    prefix: string,
    nodeTag: string,
    leaseLow?: number,
    leaseHigh?: number,
    token?: string,
  ][];
  issued: [nodeTag: string, highest: number][];
  used: number;
}

/** How many numbers `Task.decide` takes and gives for each parked range. */
const PARKED = 7;

/**
 * The numbers of a stored record, as `Task.decide` takes them; none if there is no record, or it cannot be read. Throws a text for a record
 * of a later release: it stays as it is, and this release issues and returns none of its numbers.
 */
export function numbersOf(texts: KnownTexts, text = ""): number[] {
  if (Number(FORMAT.exec(text)?.[1]) > WITH_TOKENS) throw "a newer raven-edge wrote them: reload the page";
  const record = read(text);
  if (!record) return [];
  const { incarnation, parked, issued, used } = record;
  return [
    texts.incarnation(incarnation),
    used,
    parked.length,
    ...parked.flatMap(([low, high, prefix, nodeTag, from = 0, to = 0, token]) => [
      low,
      high,
      texts.affixes(prefix, nodeTag),
      texts.nodeTag(nodeTag),
      token === undefined ? 0 : texts.token(token),
      from,
      to,
    ]),
    ...issued.flatMap(([nodeTag, highest]) => [texts.nodeTag(nodeTag), highest]),
  ];
}

/** The text of a record that the core has decided; `undefined`: the stored one stays unchanged. */
export function textOfNumbers(texts: KnownTexts, numbers: ArrayLike<number>): string | undefined {
  const [incarnation, used, count, ...rest] = Array.from(numbers);
  if (used === undefined || count === undefined || incarnation === undefined) return undefined;
  const parked: StoredRecord["parked"] = [];
  const issued: StoredRecord["issued"] = [];
  const end = count * PARKED;
  for (let at = 0; at < end; at += PARKED) {
    const [low = 0, high = 0, affixes = 0, , token = 0, from = 0, to = 0] = rest.slice(at, at + PARKED);
    const [prefix, nodeTag] = texts.affixesOf(affixes);
    if (token > 0) parked.push([low, high, prefix, nodeTag, from, to, texts.fence(token) ?? ""]);
    else parked.push([low, high, prefix, nodeTag]);
  }
  for (let at = end; at < rest.length; at += 2)
    issued.push([texts.nodeTagOf(rest[at] as number), rest[at + 1] as number]);
  return write({ incarnation: texts.incarnationOf(incarnation) ?? "", parked, issued, used });
}

function write({ incarnation, parked, issued, used }: Omit<StoredRecord, "version">): string {
  const version = parked.some(({ length }) => length > 4) ? WITH_TOKENS : PLAIN;
  return JSON.stringify({ version, incarnation, parked, issued, used });
}

function read(text: string): StoredRecord | undefined {
  try {
    const record = JSON.parse(text) as StoredRecord;
    const { incarnation, parked, issued, used } = record;
    const isKnown =
      isTexts([incarnation]) &&
      isCount(used) &&
      parked.every(({ length }) => length === 4 || length === 7) &&
      parked.every(
        ([low, high, prefix, nodeTag, from = low, to = high, token = prefix]) =>
          isRange(low, high) && isRange(from, to) && isTexts([prefix, nodeTag, token]),
      ) &&
      issued.every(
        ([nodeTag, highest, ...more]) => isTexts([nodeTag]) && isCount(highest) && more.length === 0,
      );
    // Compares the version, too.
    return isKnown && write(record) === text ? record : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRange(low: unknown, high: unknown): boolean {
  return isCount(low) && low > 0 && isCount(high) && low <= high;
}

function isTexts(values: unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}
