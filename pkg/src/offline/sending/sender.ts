// Drains a queue: when that may help, and one drain at a time.

import { QUEUED_INCARNATION } from "../../../gen/protocol.js";
import { connectionBack, isOffline } from "../../common/connection.js";
import { RavenEdgeError } from "../../common/error.js";
import { within } from "../../common/time.js";
import { ifAllowed } from "../../device/if-allowed.js";
import type { StoreBase } from "../../store/store.js";
import type { QueueState, Turn } from "../device/queue-state.js";
import type { SavedKeys } from "../documents/seen-documents.js";
import type { OfflineStatus } from "../offline-types.js";
import { type Drain, numberIn } from "./drain.js";
import { wakeUps } from "./wake-ups.js";

/**
 * How long `flush` waits between attempts while the server cannot be reached, in milliseconds. Without a connection it waits until there is
 * one: browsers report each attempt as an error in their consoles.
 */
const PAUSE = 250;

/** What a sender is given by its queue. */
export interface SenderOptions {
  /** Resolves when changes may be sent; never rejects. */
  ready: Promise<void>;
  /** Names the queue to other tabs. */
  name: string;
  /** Whether it drains without being asked. */
  automatic: boolean;
  status(): OfflineStatus;
  /** Another tab has written. */
  changed(saved: SavedKeys): void;
  /** The server has responded to a request of the store. */
  responded(): void;
  /** A drain has ended. */
  ended(): void;
}

/** Waits between two attempts of `flush`, and at most `most`, in milliseconds. */
async function pause(most: number): Promise<void> {
  if (!isOffline()) return new Promise((resolve) => setTimeout(resolve, Math.min(most, PAUSE)));
  const { back, wake } = connectionBack();
  await within(most, back);
  wake();
}

export class Sender {
  readonly #store;
  readonly #state;
  readonly #drain;
  readonly #options;
  readonly #wakeUps;
  #draining: Promise<void> | undefined;
  #again = false;
  isOver = false;
  /** Whether a response to another request has ended the current pause. */
  #hasHurried = false;
  /** Whether one has arrived during the current attempt. */
  #hasNews = false;
  #incarnation: string | undefined;

  constructor(store: StoreBase, state: QueueState, drain: Drain, options: SenderOptions) {
    this.#store = store;
    this.#state = state;
    this.#drain = drain;
    this.#options = options;
    this.#wakeUps = wakeUps(options.name, {
      back: () => {
        // The next failure counts as the first one.
        drain.failures = 0;
        this.#hasHurried = false;
        this.wake();
      },
      due: () => {
        this.#hasHurried = false;
        this.#run();
      },
      // An earlier version of the app tells a number.
      changed: (saved) => options.changed(Array.isArray(saved) ? saved : []),
    });
    store.on("succeedRequest", ({ database, response }) => {
      const incarnation = response.headers.get("Database-Cluster-Tx-Id");
      if (incarnation && database === store.database) {
        this.#takeIncarnation(incarnation);
        this.#responded();
      }
    });
  }

  /**
   * The server has responded to a request of the store: what failed is tried again at once. Only once in each pause, because what the queue
   * sends may go to another node, or fail for another reason.
   */
  #responded(): void {
    if (this.isOver) return;
    this.#drain.reached(true);
    this.#options.responded();
    this.#hasNews = true;
    if (!this.#draining) this.#hurry();
  }

  #hurry(): void {
    if (this.#drain.failures === 0 || this.#hasHurried || !this.#options.automatic) return;
    this.#hasHurried = true;
    this.#run();
  }

  stop(): void {
    this.isOver = true;
    this.#wakeUps.stop();
  }

  /** Notifies other tabs that something has changed. */
  tell(saved: SavedKeys): void {
    this.#wakeUps.tell(saved);
  }

  /** Drains in the background. */
  wake(): void {
    // After an attempt that failed the next one is made when the connection is back, or the pause is over.
    const isVain = isOffline() && this.#drain.failures > 0;
    // Without a device nothing waits.
    if (this.#options.automatic && ifAllowed(() => indexedDB) && !isVain) this.#run();
  }

  /** Drains until nothing is left, the time is over, or something waits for the app; returns whether nothing is left. */
  async flush(timeout: number): Promise<boolean> {
    const until = performance.now() + timeout;
    const left = () => Math.max(0, until - performance.now());
    for (;;) {
      await within(left(), this.#run());
      const { queued, sending, conflicts, refused, unknown, paused, needsAuth } = this.#options.status();
      const isEmpty = queued + sending === 0;
      if (isEmpty || paused || needsAuth || left() === 0 || this.isOver)
        return isEmpty && conflicts + refused + unknown === 0;
      // Changes that are left although nothing failed wait behind a change that the app must decide about.
      if (this.#drain.failures === 0 && !this.#draining) return false;
      await pause(left());
    }
  }

  /** One drain at a time, and once more if something has come since; never rejects. */
  #run(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.#again = true;
    this.#draining ??= this.#drainAlone().finally(() => {
      this.#draining = undefined;
      this.#options.ended();
      // The attempt may have waited for a connection that nobody had, and the response came over a new one.
      if (this.#hasNews) this.#hurry();
    });
    return this.#draining;
  }

  async #drainAlone(): Promise<void> {
    await this.#options.ready;
    try {
      await this.#wakeUps.alone(async () => {
        while (this.#again && !this.isOver) {
          this.#again = false;
          this.#hasNews = false;
          await this.#drain.run(() => !this.isOver);
        }
      });
    } catch (cause) {
      const error =
        cause instanceof RavenEdgeError
          ? cause
          : new RavenEdgeError("Storage", `the queue cannot go on: ${cause}`, { cause });
      this.#store.emitLater("storage", { error });
    }
    const { failures } = this.#drain;
    if (failures === 0) this.#hasHurried = false;
    if (failures > 0 && !this.isOver && this.#options.automatic) this.#wakeUps.later(failures);
  }

  #takeIncarnation(incarnation: string): void {
    const isNew = incarnation !== this.#incarnation;
    this.#incarnation = incarnation;
    this.#drain.incarnation = incarnation;
    const known = this.#state.memory?.control.incarnations;
    if (!isNew || !known || known.at(-1) === incarnation || this.isOver) return;
    const words = ({ control }: Turn) => [QUEUED_INCARNATION, numberIn(control.incarnations, incarnation)];
    // If the device fails, the next response says it again.
    this.#drain.exchange([{ words }]).catch(() => {
      this.#incarnation = undefined;
    });
  }
}
