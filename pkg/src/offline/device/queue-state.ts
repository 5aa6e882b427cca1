// The state of a queue: durable in IndexedDB, and in the core's memory as far as that is current. Each event is decided in a strict
// transaction, on what that transaction reads: by whichever tab.

import { type Effect, effectsOf, type Queue, startCore } from "./queue-core.js";
import { got, inTransaction, keysOf, QUEUE, type StoreName, type Stores } from "./queue-database.js";
import { type ChangeRecord, type ControlRecord, isControl } from "./records.js";
import { restoreQueue } from "./restore-queue.js";

/** What a queue has in memory. */
export interface Memory {
  readonly core: Queue;
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
  readonly #scope;
  readonly #user;
  #memory: Memory | undefined;
  #instance = 0;
  /** The revision of the memory; -1: it is not what the device has, or the device has nothing. */
  #revision = -1;
  #isCurrent = false;
  /** Transactions that write, and are not complete. */
  #writing = 0;

  constructor(scope: string, user: string) {
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
    await inTransaction(QUEUE, "readonly", (stores) => this.#current(stores));
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
   * Decides events in one strict transaction; resolves with the result of `work` when it is on disk. `work` may wait for requests of the
   * transaction, and for nothing else. Nothing is written if no event was accepted. `more`: further object stores that it uses.
   */
  async transact<Result>(
    work: (turn: Turn) => Promise<Result> | Result,
    more: readonly StoreName[] = [],
  ): Promise<Result> {
    await this.#start();
    let written = -1;
    this.#writing++;
    const decide = async (stores: Stores) => {
      const memory = await this.#current(stores);
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
      const result = await work({ ...memory, stores, dispatch, touch });
      if (written >= 0) this.#keep(memory, stores, written);
      return result;
    };
    try {
      const result = await inTransaction([...QUEUE, ...more], "readwrite", decide, "strict");
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

  /** Makes memory what the device has. */
  async #current({ queues, changes, texts }: Stores): Promise<Memory> {
    const control = await got<unknown>(queues.get(this.#scope));
    const known = isControl(control) ? control : undefined;
    if (this.#memory && known && known.revision === this.#revision) return this.#memory;
    const [rows, keys] = await Promise.all([
      got<unknown[]>(changes.getAll(keysOf(this.#scope))),
      got(texts.getAllKeys(keysOf(this.#scope))),
    ]);
    this.#memory?.core.free();
    this.#memory = restoreQueue(this.#scope, this.#user, known, rows, keys as [string, number][]);
    this.#revision = known?.revision ?? -1;
    return this.#memory;
  }
}
