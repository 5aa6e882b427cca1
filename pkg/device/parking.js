// What a store of ids does with the device it runs on: numbers that outlive the page, siblings that share them, the page's end.

import { fold } from "../hot/fold.js";
import { Device } from "./device.js";
import * as page from "./page.js";

/** How many numbers of a tag stay parked on the device, for each that it has used. */
const KEEP = 8;

export class Parking {
  #scope;
  #scoped;
  #store;
  #device;
  #troubled = false;
  page = page;

  /**
   * `scope`: what the records are kept under, if the source has a name for it (`scoped`). What a store gives: its generators, its
   * core and host as they are now, what makes a generator and sends what is to go back; `back` is called when the page comes
   * back, `trouble` when the device fails.
   */
  constructor(scope, scoped, store) {
    this.#scope = scope;
    this.#scoped = scoped;
    this.#store = store;
    this.#device = new Device(this.#home, {
      leave: () => this.#leave(),
      back: store.back,
      crowd: () => this.#crowd(),
      trouble: (error) => {
        // Once is enough: a device that fails would be told of with every id.
        if (!this.#troubled) store.trouble(error);
        this.#troubled = true;
        this.#plan();
      },
    });
  }

  /** Whether numbers can be parked. */
  get usable() {
    return this.#scoped && this.#device.pool.usable;
  }

  get crowded() {
    return this.usable && this.#device.crowded;
  }

  /**
   * How many numbers of a tag are kept parked, given what the app chose; below 0 none can be, Infinity: all that nobody waits
   * for.
   */
  keeps(chosen) {
    if (!this.usable) return { keep: -1 };
    const normal = chosen ?? KEEP;
    const keep = this.#device.holds ? normal : Number.POSITIVE_INFINITY;
    return { keep, normal, grow: chosen === undefined };
  }

  /** Runs a lease when no sibling is at it. */
  turn(tag, lease) {
    return this.#scoped ? this.#device.turn(this.#key(tag), lease) : lease();
  }

  /** What moves numbers between memory and the pool. */
  move(tag, strict, known, decide) {
    return this.#device.pool.move(this.#key(tag), this.#home, strict, known, decide);
  }

  /** The incarnation that was seen last: an offline start goes by it. */
  note(incarnation) {
    this.#device.pool.note(this.#home, incarnation);
  }

  /** What memory has beyond the blocks in use goes to the pool. */
  async park() {
    await Promise.all(this.#hilos().map((hilo) => hilo.park()));
  }

  /** The tags that the database has on the device. */
  async tags() {
    if (!this.usable) return [];
    const keys = await this.#device.pool.keys(`${JSON.stringify(this.#scope).slice(0, -1)},`);
    return keys.map((key) => JSON.parse(key).at(-1));
  }

  /** The store ends: what is parked under these tags comes into memory, to go back; or all goes to the siblings that there are. */
  async empty(core, tags) {
    if (!this.usable) return;
    if (await this.#device.hasSiblings()) return this.park();
    for (const tag of tags) {
      const hilo = this.#store.generator(tag);
      if (!hilo.attached) hilo.attach(core);
    }
    this.#store.close();
    for (const hilo of this.#hilos()) await hilo.takeOut(0);
  }

  close() {
    this.#device.close();
  }

  /** The page goes: what memory has leaves it now, and one request gives it back. */
  #leave() {
    const core = this.#store.core();
    if (!core) return;
    core.close(true);
    const host = this.#store.host();
    host.parting = true;
    this.#store.giveBack().catch(() => {});
    host.parting = false;
  }

  /** A sibling came, or the last one went. */
  #crowd() {
    this.#plan();
    if (this.crowded) this.park().catch(() => {});
  }

  #plan() {
    for (const hilo of this.#hilos()) hilo.plan();
  }

  #hilos() {
    return [...this.#store.hilos.values()];
  }

  /** The record of a tag. */
  #key(tag) {
    return JSON.stringify([...this.#scope, fold(tag)]);
  }

  /** Where the device notes the database's incarnation. */
  get #home() {
    return JSON.stringify(this.#scope.slice(1, 3));
  }
}
