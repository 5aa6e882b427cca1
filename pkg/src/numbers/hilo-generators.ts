// Ids and numbers by the classes of npm `ravendb`. The numbers are those of `store.hilo(tag)`, so that an app can use both.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import type { ObjectTypeDescriptor } from "../documents/entity-types.js";
import type { StoreBase } from "../store/store.js";
import type { DocumentStore } from "../store/store-types.js";
import type { IHiLoIdGenerator, NextId } from "./hilo-types.js";

/** The number of an id, and the node that granted it: `orders/34-A`. */
const NUMBER = /(\d+)(?:-(\w+))?$/;

/** The numbers of one tag; they are those of {@link DocumentStore.hilo}. */
export class HiloIdGenerator extends AnyThis {
  #store;
  #hilo;

  /**
   * @param database Default (`null`, `undefined`): that of the store.
   * @param identityPartsSeparator That of the conventions.
   * @throws {RavenEdgeError} `InvalidArgument` for another separator than that of the conventions.
   */
  constructor(
    tag: string,
    store: DocumentStore,
    database?: string | null,
    identityPartsSeparator: string = store.conventions.identityPartsSeparator,
  ) {
    super();
    if (identityPartsSeparator !== store.conventions.identityPartsSeparator)
      fail("InvalidArgument", "the separator is conventions.identityPartsSeparator, set before initialize()");
    this.#store = (store as StoreBase & DocumentStore).of(database);
    this.#hilo = this.#store.hilo(tag);
  }

  async getNextId(): Promise<NextId> {
    const [, number, serverTag = ""] = NUMBER.exec(await this.#hilo.next()) as RegExpExecArray;
    return { id: Number(number), serverTag };
  }

  /** The next id; the entity is ignored. */
  generateDocumentId(entity?: object): Promise<string>;
  async generateDocumentId(): Promise<string> {
    return this.#hilo.next();
  }

  /** Returns the numbers of this tag that are in memory; the next id needs a new lease. */
  async returnUnusedRange(): Promise<void> {
    this.#hilo.surrender();
    await this.#store.giveBack(false);
  }
}

/** The numbers of a store's databases. */
export class MultiDatabaseHiLoIdGenerator extends AnyThis implements IHiLoIdGenerator {
  #store;

  constructor(store: DocumentStore) {
    super();
    this.#store = store as StoreBase & DocumentStore;
  }

  async generateNextIdFor(
    database: string | null | undefined,
    target: string | ObjectTypeDescriptor | object,
  ): Promise<number> {
    const isType =
      typeof target === "function" || typeof (target as { isType?: unknown })?.isType === "function";
    const collection =
      typeof target === "string"
        ? target
        : await this.#collection(isType ? {} : target, isType ? (target as ObjectTypeDescriptor) : undefined);
    return (await new HiloIdGenerator(collection, this.#store, database).getNextId()).id;
  }

  async generateDocumentId(database: string | null | undefined, entity: object): Promise<string> {
    const collection = await this.#collection(entity);
    const { transformClassCollectionNameToDocumentIdPrefix: prefix } = this.#store.conventions;
    // The type is that of npm `ravendb`, which gives `null`, too.
    return (collection ? this.#store.of(database).hilo(prefix(collection)).next() : null) as Promise<string>;
  }

  async #collection(entity: object, type?: ObjectTypeDescriptor): Promise<string> {
    const { conventions } = this.#store;
    return (conventions.describe(entity, type) ?? (await conventions.load(entity, type))).collection;
  }

  /** As {@link DocumentStore.release}. */
  async returnUnusedRange(): Promise<void> {
    await this.#store.release();
  }
}

/** `store.hiLoIdGenerator`. */
export const ofStore = (store: DocumentStore): MultiDatabaseHiLoIdGenerator =>
  new MultiDatabaseHiLoIdGenerator(store);
