// Ids and numbers by the classes of npm `ravendb`; the numbers are those of `store.hilo(tag)`, so that both can be mixed.

import { fail } from "../common/error.js";

/** The number of an id, and the node that granted it: `orders/34-A`. */
const NUMBER = /(\d+)(?:-(\w+))?$/;

/** The numbers of one tag. */
export class HiloIdGenerator {
  #store;
  #hilo;

  /** `separator` is that of the store, which has one. */
  constructor(tag, store, database, separator = store.conventions.identityPartsSeparator) {
    if (separator !== store.conventions.identityPartsSeparator)
      fail("InvalidArgument", "the separator is conventions.identityPartsSeparator, set before initialize()");
    this.#store = store.of(database);
    this.#hilo = this.#store.hilo(tag);
  }

  async getNextId() {
    const [, number, serverTag = ""] = NUMBER.exec(await this.#hilo.next());
    return { id: Number(number), serverTag };
  }

  async generateDocumentId() {
    return this.#hilo.next();
  }

  /** What memory has goes back; the next id is leased anew. */
  async returnUnusedRange() {
    this.#hilo.surrender();
    await this.#store.giveBack(false);
  }
}

/** The numbers of a store's databases. */
export class MultiDatabaseHiLoIdGenerator {
  #store;

  constructor(store) {
    this.#store = store;
  }

  /** `target`: a collection, a class or an entity. */
  async generateNextIdFor(database, target) {
    const isType = typeof target === "function" || typeof target?.isType === "function";
    const collection =
      typeof target === "string"
        ? target
        : await this.#collection(isType ? {} : target, isType ? target : undefined);
    return (await new HiloIdGenerator(collection, this.#store, database).getNextId()).id;
  }

  /** `null` for an entity without collection. */
  async generateDocumentId(database, entity) {
    const collection = await this.#collection(entity);
    const { transformClassCollectionNameToDocumentIdPrefix: prefix } = this.#store.conventions;
    return collection ? this.#store.of(database).hilo(prefix(collection)).next() : null;
  }

  async #collection(entity, type) {
    const { conventions } = this.#store;
    return (conventions.describe(entity, type) ?? (await conventions.load(entity, type))).collection;
  }

  async returnUnusedRange() {
    await this.#store.release();
  }
}
