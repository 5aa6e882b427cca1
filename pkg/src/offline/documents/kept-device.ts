// Documents on the device, in the database of the queue. What is kept can be loaded again: its transactions are relaxed, and a failure
// leaves the device without documents and nothing else.

import { ENTRY_DOCUMENT, ENTRY_NEEDED } from "../../../gen/protocol.js";
import { randomId } from "../../wire/random-id.js";
import { evictKept, startCore } from "../device/queue-core.js";
import { got, inTransaction, KEPT, keysOf, type StoreName, type Stores } from "../device/queue-database.js";
import type { ChangeRecord } from "../device/records.js";
import { setKey } from "../sets/set-records.js";
import {
  documentEntry,
  isKeeps,
  type KeepsRecord,
  type KeptRecord,
  newKeeps,
  RESULTS,
} from "./kept-records.js";
import { Write } from "./kept-write.js";
import type { Seen } from "./requested.js";

/** When a batch of the queue was sealed: the device's clock. */
export type Sealed = Pick<KeepsRecord, "clock" | "generation"> | undefined;

/** When a request began: the device's clock, as this page knows it, and the turn of this page. */
export type Begun = (NonNullable<Sealed> & { turn: number }) | undefined;

/** Names a transaction: the clock begins again when everything is removed. */
const nameOf = (generation: string, clock: number): string => `${generation} ${clock}`;

/** How many own transactions are remembered. */
const REMEMBERED = 1_000;

/** The stores with what is kept of a user. */
const entriesOf = ({ kept, keptTexts, sets }: Stores): IDBObjectStore[] => [kept, keptTexts, sets];

export class KeptDevice {
  readonly #origin;
  readonly #scope;
  readonly #limit;
  readonly #version;
  /** What this page knows of the device; `undefined`: nothing can be kept, or another user has opened a store. */
  #known: KeepsRecord | undefined;
  /** Whether what is kept is as new as what was seen. */
  isUsable = true;
  /** The incarnation that a response has named last; {@link heard} will be called: until then runs of sets write nothing. */
  told: string | undefined;
  /** Counts what this page has heard and is to keep. */
  #turn = 0;
  /** The turns of own transactions, by their names. */
  #own = new Map<string, number>();

  /** `limit`: bytes; 0: nothing is kept, and what was is removed. `version`: that of the app. */
  constructor(origin: string, scope: string, limit: number, version = 0) {
    this.#origin = origin;
    this.#scope = scope;
    this.#limit = limit;
    this.#version = version;
  }

  get begun(): Begun {
    return this.#known && { clock: this.#known.clock, generation: this.#known.generation, turn: this.#turn };
  }

  /** A response has come, which `keep` will be given: requests that begin from now on follow it. */
  nextTurn(): number {
    return ++this.#turn;
  }

  /** Finds what is kept for this user; what is kept for another one is removed. */
  async open(): Promise<void> {
    const keeps = await inTransaction(["keeps"], "readonly", (stores) => this.#keeps(stores));
    if (keeps?.scope === this.#scope && this.#limit > 0) this.#known = keeps;
    else if (keeps || this.#limit > 0) await this.#replace((other) => other?.scope !== this.#scope);
  }

  /** Reads what other tabs have written: requests that begin from now on follow it. */
  async refresh(): Promise<void> {
    const keeps = await inTransaction(["keeps"], "readonly", (stores) => this.#keeps(stores));
    this.#known &&= keeps?.scope === this.#scope ? keeps : undefined;
  }

  /** A response has named the incarnation of the database: what is kept of another one is removed. */
  async heard(incarnation: string): Promise<void> {
    if (!this.#known || this.#known.incarnation === incarnation) return;
    await this.#replace(
      (keeps) => keeps?.scope === this.#scope && keeps.incarnation !== incarnation,
      incarnation,
    );
  }

  /** Removes everything that is kept for the database, if it belongs to this user. */
  clear(scope: string = this.#scope): Promise<void> {
    return this.#replace((keeps) => keeps?.scope === scope);
  }

  /** Removes what is kept, if it is to be; makes room for what this user keeps. */
  async #replace(isOld: (keeps: KeepsRecord | undefined) => boolean, incarnation?: string): Promise<void> {
    this.#known = await inTransaction(KEPT, "readwrite", async (stores) => {
      const keeps = await this.#keeps(stores);
      if (this.#limit > 0 && !isOld(keeps)) return keeps?.scope === this.#scope ? keeps : undefined;
      // Nothing was kept before the first response.
      const isFirst = keeps?.scope === this.#scope && keeps.incarnation === undefined && keeps.clock === 0;
      if (isFirst && incarnation !== undefined) {
        stores.keeps.put({ ...keeps, incarnation });
        return { ...keeps, incarnation };
      }
      if (keeps) for (const store of entriesOf(stores)) store.delete(keysOf(keeps.scope));
      if (this.#limit === 0) {
        stores.keeps.delete(this.#origin);
        return undefined;
      }
      const fresh = newKeeps(
        this.#origin,
        this.#scope,
        randomId(),
        incarnation ?? (keeps?.scope === this.#scope ? keeps.incarnation : undefined),
      );
      stores.keeps.put(fresh);
      return fresh;
    });
  }

  /** What is kept until now is older than what a batch saves that is sealed in this transaction. */
  async sealedIn(stores: Stores): Promise<Sealed> {
    const keeps = await this.#keeps(stores);
    return keeps?.scope === this.#scope ? { clock: keeps.clock, generation: keeps.generation } : undefined;
  }

  async #keeps({ keeps }: Stores): Promise<KeepsRecord | undefined> {
    const found = await got<unknown>(keeps.get(this.#origin));
    return isKeeps(found) ? found : undefined;
  }

  /**
   * Keeps what a response says; resolves with the ids of documents whose newest version is not known. Nothing is kept if it was
   * requested before everything was removed. `turn`: that of the response.
   */
  async keep(seen: Seen, begun: Begun, turn: number): Promise<string[]> {
    if (!begun || !this.#known) return [];
    await startCore();
    try {
      return await this.#keep(seen, begun, turn);
    } catch {
      // A full device: the rest is worth less than what was seen last.
      try {
        const ids = seen.documents.map(({ id }) => id);
        await this.evict(0, ids);
        return await this.#keep(seen, begun, turn);
      } catch (error) {
        await this.#abandon();
        throw error;
      }
    }
  }

  /** What is kept may be older than what was seen: it is removed, or at least not shown by this page. */
  async #abandon(): Promise<void> {
    this.#known = undefined;
    this.isUsable = false;
    await inTransaction(KEPT, "readwrite", async (stores) => {
      for (const store of entriesOf(stores)) store.delete(keysOf(this.#scope));
      stores.keeps.delete(this.#origin);
    });
  }

  async #keep(seen: Seen, begun: NonNullable<Begun>, turn: number): Promise<string[]> {
    let lost: string[] = [];
    let clock = 0;
    const began = (at: number) => this.#clockOf(begun, at);
    await this.#write([], began, async (write, { generation }) => {
      if (generation !== begun.generation) {
        // Another tab may have kept something older since everything was removed.
        const { documents, touched = [], unknown = [] } = seen;
        const all = [...documents.map(({ id }) => id), ...touched, ...unknown];
        return write.documents({ documents: [], unknown: all });
      }
      clock = write.clock;
      lost = await write.documents(seen);
      return Promise.all((seen.results ?? []).map((each) => write.results(each, begun.clock)));
    });
    // Not before: after a failure another tab writes this clock.
    if (clock > 0) this.#remember(begun.generation, clock, turn);
    if (this.#known && this.#known.bytes > this.#limit) await this.evict(this.#limit);
    return lost;
  }

  /** The clock when a request began, at least `at` if this page had heard then what was kept at that time. */
  #clockOf(begun: NonNullable<Begun>, at: number): number {
    const isKnown = (this.#own.get(nameOf(begun.generation, at)) ?? Number.POSITIVE_INFINITY) <= begun.turn;
    return isKnown ? Math.max(begun.clock, at) : begun.clock;
  }

  /**
   * Keeps what the server has made of a change, in the transaction that removes the change; `sealed`: when its batch was. Resolves with the
   * ids of documents whose newest version is not known, and with a function to be called when the transaction is complete.
   */
  async settle(stores: Stores, seen: Seen, sealed: Sealed): Promise<[string[], () => void]> {
    const keeps = await this.#keeps(stores);
    if (keeps?.scope !== this.#scope) return [[], () => {}];
    const began = sealed?.generation === keeps.generation ? sealed.clock : 0;
    const write = new Write(stores, keeps, this.#version, () => began);
    const lost = await write.documents(seen);
    const after = write.end();
    return [
      lost,
      () => {
        this.#known = after;
      },
    ];
  }

  /** Removes sets that are not declared any more, with the documents that only they have. */
  async dropSets(declared: readonly string[]): Promise<void> {
    const { begun } = this;
    const keys = await this.look(begun, ({ sets }) => got(sets.getAllKeys(keysOf(this.#scope))));
    const names = (keys ?? [])
      .map((key) => (key as [string, string])[1])
      .filter((name) => !declared.includes(name));
    if (names.length === 0) return;
    await this.update(begun, async (write) => {
      for (const name of names) {
        write.sets.drop(name);
        const members = await got(write.stores.kept.index("sets").getAllKeys(setKey(this.#scope, name)));
        for (const key of members) await write.leave((key as [string, string])[1], name);
      }
    });
  }

  get incarnation(): string | undefined {
    return this.#known?.incarnation;
  }

  /** Reads what is kept of this user; resolves with nothing if everything was removed since `begun`. */
  look<Result>(
    begun: Begun,
    work: (stores: Stores, keeps: KeepsRecord) => Promise<Result>,
  ): Promise<Result | undefined> {
    return inTransaction(KEPT, "readonly", async (stores) => {
      const keeps = await this.#keeps(stores);
      return this.#isSince(keeps, begun) ? work(stores, keeps) : undefined;
    });
  }

  #isSince(keeps: KeepsRecord | undefined, begun: Begun): keeps is KeepsRecord {
    return keeps?.scope === this.#scope && keeps.generation === begun?.generation;
  }

  /**
   * Writes what is kept of this user. Resolves with nothing, and writes nothing, if everything was removed since `begun`: by a sign-out, or
   * because the database is another one.
   */
  async update<Result>(
    begun: Begun,
    work: (write: Write) => Promise<Result>,
    durability?: IDBTransactionDurability,
  ): Promise<{ value: Result } | undefined> {
    if (this.told !== undefined) await this.heard(this.told);
    if (!begun || !this.#known) return undefined;
    const turn = this.nextTurn();
    await startCore();
    let clock = 0;
    const done = await inTransaction(
      KEPT,
      "readwrite",
      async (stores) => {
        const keeps = await this.#keeps(stores);
        if (!this.#isSince(keeps, begun)) return undefined;
        const write = new Write(stores, keeps, this.#version, (at) => this.#clockOf(begun, at));
        clock = write.clock;
        const value = await work(write);
        return { value, after: write.end() };
      },
      durability,
    );
    if (!done) return undefined;
    this.#known = done.after;
    this.#remember(begun.generation, clock, turn);
    return done;
  }

  /** An own transaction has kept something; `turn`: that of the response. */
  #remember(generation: string, clock: number, turn: number): void {
    this.#own.set(nameOf(generation, clock), turn);
    for (const oldest of this.#own.keys()) {
      if (this.#own.size <= REMEMBERED) break;
      this.#own.delete(oldest);
    }
  }

  /** Marks entries as used. */
  async touch(keys: string[]): Promise<void> {
    if (!this.#known) return;
    await this.#write([], undefined, (write) => Promise.all(keys.map((key) => write.touch(key))));
  }

  /**
   * Removes the entries that were not used for the longest time, so that the rest takes less than `limit` bytes. `ids`: documents that
   * are needed, beside those with pending changes.
   */
  async evict(limit: number, ids: readonly string[] = []): Promise<void> {
    await startCore();
    await this.#write(["changes"], undefined, async (write) => {
      const { stores } = write;
      const [all, changes] = await Promise.all([
        got<KeptRecord[]>(stores.kept.getAll(keysOf(this.#scope))),
        got<Partial<ChangeRecord>[]>(stores.changes.getAll(keysOf(this.#scope))),
      ]);
      const entries = all.filter(({ sets }) => sets === undefined);
      const commands = changes.flatMap(({ commands }) => (Array.isArray(commands) ? commands : []));
      const needed = new Set([...commands.map(({ id }) => String(id)), ...ids].map(documentEntry));
      const words = entries.flatMap(({ used, bytes, kind, key }) => [
        used,
        bytes,
        (kind === RESULTS ? 0 : ENTRY_DOCUMENT) | (needed.has(key) ? ENTRY_NEEDED : 0),
      ]);
      const evicted = [...evictKept([limit, ...words])].map((at) => entries[at] as KeptRecord);
      for (const record of evicted) write.remove(record);
    });
  }

  /** Writes what is kept, if it belongs to this user. `more`: further object stores; `began`: see {@link Write}. */
  async #write(
    more: readonly StoreName[],
    began: ((at: number) => number) | undefined,
    work: (write: Write, keeps: KeepsRecord) => Promise<unknown>,
  ): Promise<void> {
    this.#known = await inTransaction([...KEPT, ...more], "readwrite", async (stores) => {
      const keeps = await this.#keeps(stores);
      if (keeps?.scope !== this.#scope) return undefined;
      const write = new Write(stores, keeps, this.#version, began);
      await work(write, keeps);
      return write.end();
    });
  }
}
