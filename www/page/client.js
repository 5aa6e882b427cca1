// How the page uses the package: one store, its ids, and orders that a session saves. This module knows nothing about
// the page.

import { DocumentStore, NextIdentityForOperation } from "raven-edge";
import { union } from "./ranges.js";

/**
 * In milliseconds. The default of 15 s is right for production; a demo should report an unreachable server sooner.
 */
const TIMEOUT = 5_000;

/**
 * A fixed number: with the default, all numbers of a small shop would soon be parked, and the map would show no other
 * home.
 */
const KEEP = 8;

const CUSTOMERS = ["Alfreds", "Berglund", "Comércio", "Drachenblut", "Ernst", "Folies", "Galería", "Hanari"];

const numberOf = (id) => Number(/(\d+)-[^-]*$/.exec(id)[1]);

/** An order with arbitrary content. */
function anyOrder() {
  const customer = CUSTOMERS[Math.floor(Math.random() * CUSTOMERS.length)];
  return {
    customer,
    amount: Math.round(Math.random() * 20_000) / 100,
    "@metadata": { "@collection": "Orders" },
  };
}

export class Client {
  #database;
  #network;
  #listeners;
  #store;
  #session;
  #giving;
  #waiting = [];
  /** Number of ids that this tab has issued. */
  issued = 0;

  /** Calls `listeners.issued(number)`, `listeners.leased(event)` and `listeners.returned(event)`. */
  constructor(database, network, listeners) {
    this.#database = database;
    this.#network = network;
    this.#listeners = listeners;
    this.#open();
  }

  #open() {
    const options = { timeout: TIMEOUT, fetch: this.#network.fetch, keep: KEEP };
    this.#store = new DocumentStore("/raven", this.#database, options).initialize();
    this.#session = undefined;
    this.#store.on("lease", (event) => event.tag === "orders" && this.#listeners.leased(event));
    this.#store.on("return", (event) => event.tag === "orders" && this.#listeners.returned(event));
  }

  get #ids() {
    return this.#store.hilo("orders");
  }

  /** The package's status of the counter for orders. */
  get status() {
    return this.#ids.status();
  }

  /** The numbers in this tab's memory. */
  get held() {
    return union(this.status.held.map(({ low, high }) => [low, high]));
  }

  /** Orders that have an id but are not saved yet. */
  get waiting() {
    return this.#waiting;
  }

  /** Creates orders. They have their final ids at once; `save` sends them. */
  async create(count) {
    await this.#giving;
    for (let made = 0; made < count; made++) {
      this.#session ??= this.#store.openSession();
      const order = anyOrder();
      await this.#session.store(order);
      this.issued++;
      this.#waiting.push(order);
      this.#listeners.issued(numberOf(order.id));
    }
  }

  /** Saves all pending orders in one request. Those that could not be saved stay pending under the same ids. */
  async save() {
    const sent = [...this.#waiting];
    if (sent.length === 0) return;
    await this.#session.saveChanges();
    this.#waiting = this.#waiting.filter((order) => !sent.includes(order));
    // A session tracks all of its documents; saved orders are not needed any more.
    if (this.#waiting.length === 0) this.#session = undefined;
  }

  /** Makes sure that this many numbers are on this device. */
  reserve(count) {
    return this.#ids.reserve(count);
  }

  /** Returns all unused numbers, parked or in memory, and continues with a new store. */
  giveBack() {
    // No lease during this time: a newer range would prevent the return of the old one.
    this.#giving = this.#store.dispose().then(() => this.#open());
    return this.#giving;
  }

  /** Resolves once the module is loaded, so that a measurement does not include loading. */
  ready() {
    return this.#store.ready();
  }

  /** An id from a leased range, of another counter than that of the orders. */
  leasedId() {
    const ids = this.#store.hilo("comparisons");
    return ids.take() ?? ids.next();
  }

  /** An id that the server generates, which needs a request. */
  askedId() {
    return this.#store.maintenance.send(new NextIdentityForOperation("comparisons"));
  }
}
