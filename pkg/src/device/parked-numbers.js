// A store on its device: page events, what siblings say, locks, parked numbers. What follows from them is decided by the core
// (`src/pool/presence.rs`); this does it.

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
import { Pool } from "./indexeddb-pool.js";
import * as page from "./page-requests.js";

/** How long to wait for another tab's lease, in milliseconds, before taking one of our own. */
const TURN = 2_000;

/** How long siblings have to answer, in milliseconds. */
const PATIENCE = 60;

/** One connection for all stores of the realm. */
const pool = new Pool();

export class Parking {
  #scope;
  #store;
  #channel;
  #name = Math.floor(Math.random() * 2 ** 32);
  #away = false;
  #stop;
  page = page;

  /**
   * `scope`: what the records are kept under. What a store gives: its generators (`hilos`), its `core` and `host` as they are now,
   * what makes a generator (`attached`) and sends what is to go back; `back` is called when the page comes back, `trouble` when the
   * device fails.
   */
  constructor(scope, store) {
    this.#scope = scope;
    this.#store = store;
    const { document } = globalThis;
    const left = () => this.#turned(true);
    const restored = () => this.#turned(false);
    const events = [
      [globalThis, "pagehide", left],
      [globalThis, "pageshow", ({ persisted }) => persisted && restored()],
      [document, "freeze", left],
      [document, "resume", restored],
    ];
    let troubled = false;
    const quiet = pool.onTrouble((error) => {
      // Once is enough: a device that fails would be told of with every id.
      if (!troubled) store.trouble(error);
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
  begin() {
    this.#on(PRESENCE_BEGUN, +!!globalThis.document);
    if (!pool.usable) this.#on(PRESENCE_FAILED);
    if (!this.#away) this.#on(PRESENCE_BACK);
  }

  /** Runs a lease when no sibling is at it, so that both need not. */
  async turn(tag, lease) {
    const { locks } = globalThis.navigator;
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

  /** What moves numbers between memory and the pool. */
  move(tag, strict, known, decide) {
    return pool.move(this.#key(tag), this.#home, strict, known, decide);
  }

  /** The incarnation that was seen last: an offline start goes by it. */
  note(incarnation) {
    pool.note(this.#home, incarnation);
  }

  /** The tags that the database has on the device. */
  async tags() {
    const keys = await pool.keys(`${JSON.stringify(this.#scope).slice(0, -1)},`);
    return keys.map((key) => JSON.parse(key).at(-1));
  }

  /** The store ends: what is parked under these tags goes back with what memory has, or all goes to the siblings that there are. */
  async empty(tags) {
    await this.#on(PRESENCE_ASKED);
    for (const tag of tags) this.#store.attached(tag);
    this.#store.close();
    for (const hilo of [...this.#store.hilos.values()]) await hilo.letGo(0);
  }

  close() {
    this.#away = true;
    this.#on(PRESENCE_ENDED);
    this.#stop();
  }

  #turned(away) {
    this.#away = away;
    this.#on(away ? PRESENCE_LEFT : PRESENCE_BACK);
    if (!away) this.#store.back();
  }

  /** Reports an event to the core, and does what it says; to a question it resolves when the answers are in. */
  #on(event, detail = 0) {
    // Without a core it has no numbers, and need not answer.
    const todo = this.#store.core()?.on(event, detail) ?? (this.#away ? TODO_BYE : 0);
    if (todo & TODO_GIVE_BACK) {
      const host = this.#store.host();
      host.parting = true;
      this.#store.giveBack().catch(() => {});
      host.parting = false;
    }
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
  }

  #hello() {
    try {
      this.#channel ??= new BroadcastChannel(`raven-edge ${this.#home}`);
    } catch {
      // There is none, or Firefox refuses it where a site may not store anything.
      return;
    }
    // Another version of this package may say more.
    this.#channel.onmessage = ({ data: [said, name] }) => this.#on(said & PRESENCE_MESSAGE, name);
    this.#say(PRESENCE_HELLO);
  }

  #say(what) {
    this.#channel?.postMessage([what, this.#name]);
  }

  /** The record of a tag. */
  #key(tag) {
    return JSON.stringify([...this.#scope, idKey(tag)]);
  }

  /** Where the device notes the database's incarnation. */
  get #home() {
    return JSON.stringify(this.#scope.slice(1, 3));
  }
}
