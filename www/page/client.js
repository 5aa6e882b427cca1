// The page's use of the package: one store, its ids, and what they cost. Nothing in here knows the page.

import { DocumentStore } from "raven-edge";

/** A demo should tell soon that the server is gone; 15 s, the default, is for real life. */
const TIMEOUT = 5_000;

const numberOf = (id) => Number(/(\d+)-[^-]*$/.exec(id)[1]);

export class Client {
  #store;
  #ids;
  #changed;
  #leased;
  #giving;
  #range;

  /** What it cost so far. */
  counts = { leases: 0, saves: 0, issued: 0 };
  /** The number issued last. */
  last = 0;

  /** `changed` is called whenever there is something new to show, `leased` when the server has given a range. */
  constructor(changed, leased) {
    this.#changed = changed;
    this.#leased = leased;
    this.#open();
  }

  #open() {
    this.#store = new DocumentStore("/raven", "Shop", { timeout: TIMEOUT }).initialize();
    this.#ids = this.#store.hilo("orders");
    this.#range = undefined;
    this.last = 0;
    this.#store.on("lease", () => {
      this.counts.leases++;
      this.#changed();
      this.#leased();
    });
  }

  /** An id at once and without a request, or `undefined` when none is at hand. */
  take() {
    const id = this.#ids.take();
    if (id !== undefined) this.#issued(id);
    return id;
  }

  /** An id, after a lease if there must be one. */
  async next() {
    await this.#giving;
    const id = await this.#ids.next();
    this.#issued(id);
    return id;
  }

  #issued(id) {
    this.counts.issued++;
    this.last = numberOf(id);
    this.#changed();
  }

  /** `{ atHand, low, high, nodeTag }`; without low and high before the first range. */
  get range() {
    const { atHand, low, high, nodeTag } = this.#ids.status();
    // The package forgets a range that is used up; a reader wants to see it until the next one comes.
    if (low !== undefined) this.#range = { low, high, nodeTag };
    return { atHand, ...this.#range };
  }

  /** A draft of an order: it keeps its id until a save succeeds, however often that is tried. */
  draft() {
    let store;
    let session;
    const order = { customer: "", amount: 0, "@metadata": { "@collection": "Orders" } };
    const save = async (customer, amount) => {
      await this.#giving;
      Object.assign(order, { customer, amount });
      if (store !== this.#store) {
        store = this.#store;
        session = store.openSession();
      }
      const isNew = order.id === undefined;
      await session.store(order);
      if (isNew) this.#issued(order.id);
      await session.saveChanges();
      this.counts.saves++;
      this.#changed();
      return order.id;
    };
    return { order, save };
  }

  /** Gives back what is unused and goes on with a new store. Tells what became of each range. */
  async giveBack() {
    const ranges = [];
    this.#store.on("return", (range) => ranges.push(range));
    // Meanwhile nothing is leased: a new range on top would keep the old one from going back.
    this.#giving = Promise.allSettled([this.#store.dispose()]).then(() => this.#open());
    await this.#giving;
    this.#changed();
    return ranges;
  }
}
