// The page's use of the package: one store, its ids, and orders saved through a session. Nothing in here knows the page.

import { DocumentStore, NextIdentityForOperation } from "raven-edge";
import { union } from "./ranges.js";

/** A demo should tell soon that the server is gone; 15 s, the default, is for real life. */
const TIMEOUT = 5_000;

/** A fixed number: by default all that a small shop leases would soon be parked, and no other home would be seen. */
const KEEP = 8;

const CUSTOMERS = ["Alfreds", "Berglund", "Comércio", "Drachenblut", "Ernst", "Folies", "Galería", "Hanari"];

const numberOf = (id) => Number(/(\d+)-[^-]*$/.exec(id)[1]);

/** Somebody's order: what is in it is of no importance here. */
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
  #told;
  #store;
  #session;
  #giving;
  #waiting = [];
  /** How many ids this tab has issued. */
  issued = 0;

  /** Calls `told.issued(number)`, `told.leased(event)` and `told.returned(event)`. */
  constructor(database, network, told) {
    this.#database = database;
    this.#network = network;
    this.#told = told;
    this.#open();
  }

  #open() {
    const options = { timeout: TIMEOUT, fetch: this.#network.fetch, keep: KEEP };
    this.#store = new DocumentStore("/raven", this.#database, options).initialize();
    this.#session = undefined;
    this.#store.on("lease", (event) => event.tag === "orders" && this.#told.leased(event));
    this.#store.on("return", (event) => event.tag === "orders" && this.#told.returned(event));
  }

  get #ids() {
    return this.#store.hilo("orders");
  }

  /** What the package says of the orders' counter. */
  get status() {
    return this.#ids.status();
  }

  /** The numbers in this tab's memory. */
  get held() {
    return union(this.status.held.map(({ low, high }) => [low, high]));
  }

  /** Orders that have an id and are not saved yet. */
  get waiting() {
    return this.#waiting;
  }

  /** Makes orders, which have their final ids at once; `save` sends them. */
  async create(count) {
    await this.#giving;
    for (let made = 0; made < count; made++) {
      this.#session ??= this.#store.openSession();
      const order = anyOrder();
      await this.#session.store(order);
      this.issued++;
      this.#waiting.push(order);
      this.#told.issued(numberOf(order.id));
    }
  }

  /** Saves all that waits, in one request; what could not be saved waits on, under the same ids. */
  async save() {
    const sent = [...this.#waiting];
    if (sent.length === 0) return;
    await this.#session.saveChanges();
    this.#waiting = this.#waiting.filter((order) => !sent.includes(order));
    // A session knows all of its documents; those that are saved are of no further use here.
    if (this.#waiting.length === 0) this.#session = undefined;
  }

  /** Has that many numbers on this device. */
  reserve(count) {
    return this.#ids.reserve(count);
  }

  /** Gives back what is unused, parked or in memory, and goes on with a new store. */
  giveBack() {
    // Meanwhile nothing is leased: a new range on top would keep the old one from going back.
    this.#giving = this.#store.dispose().then(() => this.#open());
    return this.#giving;
  }

  /** Resolves once the module is there, so that its loading is not measured. */
  ready() {
    return this.#store.ready();
  }

  /** An id out of a leased range, of a counter apart from the orders'. */
  leasedId() {
    const ids = this.#store.hilo("comparisons");
    return ids.take() ?? ids.next();
  }

  /** An id that the server makes, for which it has to be asked. */
  askedId() {
    return this.#store.maintenance.send(new NextIdentityForOperation("comparisons"));
  }
}
