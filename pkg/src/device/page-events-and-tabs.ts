// A store on its device: events of the page, messages of siblings (stores of the same database in this tab or another one), locks,
// parked numbers. The core decides what follows from them (`src/pool/presence.rs`); this does it.

import {
  PRESENCE_ASKED,
  PRESENCE_BACK,
  PRESENCE_BEGUN,
  PRESENCE_BYE,
  PRESENCE_ENDED,
  PRESENCE_FAILED,
  PRESENCE_HELLO,
  PRESENCE_HERE,
  PRESENCE_LEFT,
  PRESENCE_MESSAGE,
  PRESENCE_OVER,
  PRESENCE_TURN,
  TODO_BYE,
  TODO_GIVE_BACK,
  TODO_HELLO,
  TODO_HERE,
  TODO_WAIT,
} from "../../gen/protocol.js";
import { idKey } from "../common/id-key.js";
import type { KnownTexts } from "../core/known-texts.js";
import type { ConfiguredStore } from "../numbers/configured-store.js";
import type { NumberSource } from "../numbers/number-source.js";
import type { Reply } from "../runtime/core.js";
import { addressOf, ELSEWHERE } from "../store/check-options.js";
import type { Host } from "../wire/http-request.js";
import { ifAllowed } from "./if-allowed.js";
import * as page from "./page-requests.js";
import { EarlyRequests } from "./page-requests.js";
import { numbersOf, Pool, textOfNumbers } from "./parked-numbers.js";

/** How long to wait for another tab's lease, in milliseconds, before this tab leases itself. */
const TURN = 2_000;

/** How long siblings have to respond, in milliseconds. */
const PATIENCE = 60;

/** One connection for all stores of the realm. */
const pool = new Pool();

/** What a store gives to its device. */
export interface ParkingStore {
  /** The generators of its tags. */
  readonly hilos: ReadonlyMap<string, { letGo(keep: number): Promise<unknown> }>;
  /** The core, as it is now. */
  core(): { on(event: number, detail: number): number } | undefined;
  /** Makes a host that no core uses. */
  host(): Host;
  /** Makes the generator of a tag, attached to the core. */
  attached(tag: string): void;
  /** Sends what is to be returned. */
  giveBack(): unknown;
  /** Nothing is issued any more. */
  close(): void;
}

/** An event of pages: those of loading and leaving say whether the page was in the back/forward cache. */
interface PageEvent extends Event {
  readonly persisted?: boolean;
}

export class Parking {
  /** The records are kept under this. */
  #scope: (string | undefined)[];
  #store;
  #channel: BroadcastChannel | undefined;
  /** Tells this store from its siblings. */
  #name = Math.floor(Math.random() * 2 ** 32);
  #away = false;
  #stop;
  page = page;
  /** What leaves before there is a core. */
  early;

  /** `source`: where the numbers come from; `of`: the store as the app has configured it. */
  constructor(source: NumberSource, of: ConfiguredStore, store: ParkingStore) {
    const { name, id } = source;
    this.early = new EarlyRequests(source, of, store.host);
    // The case of names does not matter to the server.
    const database = idKey(of.database);
    const server = addressOf(of.urls[0] as string, ELSEWHERE).href;
    this.#scope = [name, server, database, of.conventions.identityPartsSeparator, ...id];
    this.#store = store;
    const { document } = globalThis;
    const left = () => this.#turned(true);
    const restored = () => {
      this.#turned(false);
      of.runtime.back();
    };
    const events: [EventTarget, string, (event: PageEvent) => unknown][] = [
      [globalThis, "pagehide", left],
      [globalThis, "pageshow", ({ persisted }) => persisted && restored()],
      [document, "freeze", left],
      [document, "resume", restored],
    ];
    let troubled = false;
    const quiet = pool.onTrouble((error) => {
      // Reported once: a device that fails would be reported with every id. A text says for good why the device is of no use, and what to do.
      if (!troubled || (!pool.usable && typeof error.cause === "string")) of.emitLater("storage", { error });
      troubled = true;
      if (!pool.usable) this.#on(PRESENCE_FAILED);
    });
    const stop = new AbortController();
    const { signal } = stop;
    if (document)
      for (const [target, ...listener] of events) target.addEventListener(...listener, { signal });
    this.#stop = () => {
      quiet();
      stop.abort();
    };
    pool.open();
    // Siblings park what they hold while the module loads.
    this.#hello();
  }

  /** There is a core. */
  begin(): void {
    this.#on(PRESENCE_BEGUN, +!!globalThis.document);
    if (!pool.usable) this.#on(PRESENCE_FAILED);
    if (!this.#away) this.#on(PRESENCE_BACK);
  }

  /** Runs a lease when no sibling runs one: both may be served by the same. */
  async turn(tag: string, lease: () => Promise<void>): Promise<void> {
    const locks = ifAllowed(() => navigator.locks);
    if (!this.#on(PRESENCE_TURN) || !locks) return lease();
    let begun = false;
    const begin = () => {
      begun = true;
      return lease();
    };
    try {
      return await locks.request(this.#key(tag), { signal: AbortSignal.timeout(TURN) }, begin);
    } catch (error) {
      if (begun) throw error;
      return lease();
    }
  }

  /** Moves numbers between memory and the pool; `decide` asks the task what to do with the numbers of a record. */
  move(
    texts: KnownTexts,
    tag: number,
    strict: boolean,
    known: string | undefined,
    decide: (stored: number, record: number[]) => ArrayLike<number>,
  ): Promise<Reply> {
    const name = texts.tags[tag] as string;
    const key = this.#key(name);
    return pool.move(key, this.#home, strict, known, (record, stored) => {
      // A sibling may have leased since: the numbers of the early lease are lower than what the record tells.
      if (record !== undefined) this.early.forget(name);
      const after = textOfNumbers(texts, decide(texts.incarnation(stored), numbersOf(texts, record)));
      if ((record ?? after) !== undefined) this.early.note(key);
      return after;
    });
  }

  /** Sends the first lease of a tag while there is no core. */
  leaseEarly(tag: string): void {
    if (!this.#away) this.early.lease(tag, this.#key(tag));
  }

  /** Notes the latest incarnation: an offline start compares with it. */
  note(incarnation: string): void {
    pool.note(this.#home, incarnation);
  }

  /** The tags of which the database has numbers on the device. */
  async tags(): Promise<string[]> {
    const keys = await pool.keys(`${JSON.stringify(this.#scope).slice(0, -1)},`);
    return keys.map((key) => JSON.parse(key).at(-1));
  }

  /**
   * The store ends. If there are siblings, its numbers are parked for them; if not, what is parked under these tags comes into memory,
   * and is returned with what memory has.
   */
  async empty(tags: string[]): Promise<void> {
    await this.#on(PRESENCE_ASKED);
    for (const tag of tags) this.#store.attached(tag);
    this.#store.close();
    for (const hilo of [...this.#store.hilos.values()]) await hilo.letGo(0);
  }

  close(): void {
    this.#away = true;
    this.early.clear();
    this.#on(PRESENCE_ENDED);
    this.#stop();
  }

  #turned(away: boolean): void {
    this.#away = away;
    if (away) this.early.clear();
    this.#on(away ? PRESENCE_LEFT : PRESENCE_BACK);
  }

  /** Reports an event to the core, and does what it says; a question to siblings returns a promise, which resolves after their time. */
  #on(event: number, detail = 0): Promise<unknown> | undefined {
    // Without a core the store has no numbers, and need not respond.
    const todo = this.#store.core()?.on(event, detail) ?? (this.#away ? TODO_BYE : 0);
    if (todo & TODO_GIVE_BACK) page.whileParting(() => this.#store.giveBack());
    if (todo & TODO_HELLO) this.#hello();
    if (todo & TODO_HERE) this.#say(PRESENCE_HERE);
    if (todo & TODO_BYE) {
      this.#say(PRESENCE_BYE);
      // A page in the back/forward cache must not keep a channel open.
      this.#channel?.close();
      this.#channel = undefined;
    }
    if (todo & TODO_WAIT)
      return new Promise((resolve) => setTimeout(resolve, PATIENCE)).then(() => this.#on(PRESENCE_OVER));
    return undefined;
  }

  #hello(): void {
    this.#channel ??= ifAllowed(() => new BroadcastChannel(`raven-edge ${this.#home}`));
    if (!this.#channel) return;
    // Other versions of this package may set further bits.
    this.#channel.onmessage = ({ data: [message, name] }) => this.#on(message & PRESENCE_MESSAGE, name);
    this.#say(PRESENCE_HELLO);
  }

  #say(message: number): void {
    this.#channel?.postMessage([message, this.#name]);
  }

  /** The key of a tag's record. */
  #key(tag: string): string {
    return JSON.stringify([...this.#scope, idKey(tag)]);
  }

  /** The key under which the device notes the database's incarnation. */
  get #home(): string {
    return JSON.stringify(this.#scope.slice(1, 3));
  }
}
