// The state of a queue: durable in IndexedDB, and in the core's memory as far as that is current. Each event is decided in a strict
// transaction, on what that transaction reads: by whichever tab.

import { type CoreQueue, type Effect, effectsOf, startCore } from "./queue-core.js";
import { keysOf, type QueueDatabase, type StoreName, type Stores } from "./queue-database.js";
import { type ChangeRecord, type ControlRecord, isControl } from "./records.js";
import { restoreQueue } from "./restore-queue.js";

/** What a queue has in memory. */
export interface Memory {
  readonly core: CoreQueue;
  readonly control: ControlRecord;
  /** Changes by number, in the order in which they were queued; without texts. */
  readonly changes: Map<number, ChangeRecord>;
  /** Numbers of documents with pending changes, by the keys of their ids. */
  readonly documents: Map<string, number>;
  /** Entries that cannot be used. */
  readonly damaged: readonly unknown[];
}

/** A transaction in which events are decided. */
export interface Turn extends Memory {
  readonly stores: Stores;
  /** Gives the core an event; returns its effects, or `undefined` if it came too late. */
  dispatch(words: number[]): Effect[] | undefined;
  /** Records are written without an event: other tabs must read them again. */
  touch(): void;
}

export class QueueState {
  #database;
  #scope;
  #user;
  #memory: Memory | undefined;
  #instance = 0;
  /** The revision of the memory; -1: it is not what the device has, or the device has nothing. */
  #revision = -1;
  #isCurrent = false;
  /** Transactions that write, and are not complete. */
  #writing = 0;

  constructor(database: QueueDatabase, scope: string, user: string) {
    this.#database = database;
    this.#scope = scope;
    this.#user = user;
  }

  /** What was read or written last. */
  get memory(): Memory | undefined {
    return this.#memory;
  }

  /** Whether memory is what this tab has written or read last, without a failure since. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** Grows by one with each transaction that writes, of any tab; -1: memory may not be what the device has. */
  get revision(): number {
    return this.#revision;
  }

  /** The changes in a state, one of `STATE_…`. */
  inState(wanted: number): number[] {
    const states = this.memory?.core.states() ?? new Uint32Array();
    return [...states].filter((_, at) => at % 2 === 0 && states[at + 1] === wanted);
  }

  /** Reads what another tab may have written. */
  async refresh(): Promise<Memory> {
    await this.#start();
    await this.#database.read((stores) => {
      this.#current(stores, () => {});
      return () => {};
    });
    if (this.#writing === 0) this.#isCurrent = true;
    return this.#memory as Memory;
  }

  async #start(): Promise<void> {
    const instance = await startCore();
    // The core of an instance that has died is gone with it.
    if (instance !== this.#instance) this.#memory = undefined;
    this.#instance = instance;
  }

  /**
   * Decides events in one strict transaction; resolves when it is on disk. `work` is called while the transaction is open, and may go on
   * in the results of requests, or wait for them and for nothing else; what it reports with `done` is the result. Nothing is written if no
   * event was accepted. `more`: further object stores that it uses.
   */
  async transact<Result>(
    work: (turn: Turn, done: (result: Result) => void) => Promise<void> | void,
    more: readonly StoreName[] = [],
  ): Promise<Result> {
    await this.#start();
    let written = -1;
    this.#writing++;
    try {
      const result = await this.#database.write<Result>((stores, abort) => {
        let kept: Result | undefined;
        const guarded = (step: () => void) => {
          try {
            step();
          } catch (error) {
            abort(error);
          }
        };
        this.#current(
          stores,
          (memory) =>
            guarded(() => {
              const touch = () => {
                written = memory.control.revision + 1;
                // Until this is on disk, memory is ahead of the device.
                this.#abandon();
              };
              const dispatch = (words: number[]) => {
                const effects = effectsOf(memory.core.dispatch(Uint32Array.from(words)));
                if (effects) touch();
                return effects;
              };
              const working = work({ ...memory, stores, dispatch, touch }, (result) => {
                kept = result;
                if (written >= 0) this.#keep(memory, stores, written);
              });
              // It may be over already, because a request has failed.
              working?.catch(abort).catch(() => {});
            }),
          guarded,
        );
        return () => kept as Result;
      }, more);
      if (written >= 0) this.#revision = written;
      this.#isCurrent = true;
      return result;
    } catch (error) {
      this.#abandon();
      throw error;
    } finally {
      this.#writing--;
    }
  }

  /** Memory may not be what the device has. */
  #abandon(): void {
    this.#revision = -1;
    this.#isCurrent = false;
  }

  #keep({ core, control }: Memory, { queues }: Stores, revision: number): void {
    const needed = new Set(core.ids());
    for (const number of Object.keys(control.ids).map(Number))
      if (!needed.has(number)) delete control.ids[number];
    control.revision = revision;
    control.core = core.control();
    queues.put(control);
  }

  /** Makes memory what the device has, and calls `next` in the same transaction. */
  #current(
    stores: Stores,
    next: (memory: Memory) => void,
    guarded: (step: () => void) => void = (step) => step(),
  ): void {
    const control = stores.queues.get(this.#scope);
    control.onsuccess = () => {
      const { result } = control as IDBRequest<unknown>;
      const known = isControl(result) ? result : undefined;
      if (this.#memory && known && known.revision === this.#revision) {
        next(this.#memory);
        return;
      }
      const rows = stores.changes.getAll(keysOf(this.#scope));
      const texts = stores.texts.getAllKeys(keysOf(this.#scope));
      texts.onsuccess = () =>
        guarded(() => {
          this.#memory?.core.free();
          this.#memory = restoreQueue(
            this.#scope,
            this.#user,
            known,
            rows.result,
            texts.result as [string, number][],
          );
          this.#revision = known?.revision ?? -1;
          next(this.#memory);
        });
    };
  }
}
