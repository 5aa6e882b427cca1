// The ids of documents that are inserted: the app's own, or the next numbers of our leases.

import { fail, RavenEdgeError } from "../common/error.js";
import { checkId } from "../core/check-names.js";
import type { Entity } from "../documents/entity-types.js";
import { EntityMapper } from "../documents/mapping/entity-mapper.js";
import type { HiLo } from "../numbers/hilo.js";
import type { StoreBase } from "../store/store.js";
import type { Kind } from "./document-text.js";

/** Ids that are valid without a closer look. */
const PLAIN = /^[A-Za-z][\w@.-]{0,60}\/[\w@.-]{1,60}$/;

/** The error of npm `ravendb` for calls that come at a wrong time, or without an id. */
export function misused(message: string): RavenEdgeError {
  const error = new RavenEdgeError("InvalidOperation", message);
  return Object.assign(error, { name: "BulkInsertInvalidOperationException" });
}

export class InsertedIds {
  #store;
  #mapper;
  /** By collection. */
  #hilos = new Map<string, HiLo>();

  constructor(store: StoreBase) {
    this.#store = store;
    this.#mapper = new EntityMapper(store.conventions);
  }

  /** The id that an entity shows, or the next one of its collection; a promise if that is not there at once. */
  of(entity: Entity, { collection }: Kind): string | Promise<string> {
    const { conventions, database } = this.#store;
    const identity = this.#mapper.identityOf(entity);
    const shown = identity && entity[identity];
    if (typeof shown === "string" && shown !== "") return shown;
    const generate = conventions.generatorOf(entity);
    if (generate) return Promise.resolve(generate(database, entity));
    const hilo = this.#hilo(collection);
    return hilo.takeForNow() ?? hilo.next();
  }

  /** Shows an entity the id that was made for it. */
  showId(entity: Entity, id: string): void {
    const identity = this.#mapper.identityOf(entity);
    if (identity && !entity[identity]) this.#mapper.showId(entity, id, identity);
  }

  #hilo(collection: string): HiLo {
    if (!collection)
      throw misused(
        "a document of a bulk insert needs an id, or a collection: conventions.findCollectionNameForObjectLiteral",
      );
    let hilo = this.#hilos.get(collection);
    if (!hilo) {
      hilo = this.#store.hilo(
        this.#store.conventions.transformClassCollectionNameToDocumentIdPrefix(collection),
      );
      this.#hilos.set(collection, hilo);
    }
    return hilo;
  }

  /**
   * The id in JSON. What the server would refuse would end the whole insert.
   * @throws {RavenEdgeError} `InvalidId`; `InvalidOperation` for none.
   */
  text(id: unknown): string {
    if (typeof id === "string" && PLAIN.test(id)) return `"${id}"`;
    if (typeof id !== "string" || id.trim() === "") throw misused("a document of a bulk insert needs an id");
    if (id.endsWith("|")) {
      const error = new RavenEdgeError("InvalidId", `ids of a bulk insert cannot end with "|": ${id}`);
      throw Object.assign(error, { name: "NotSupportedException" });
    }
    if (/\p{Surrogate}/u.test(id)) fail("InvalidId", "a document id must not contain a lone surrogate");
    const { maxIdLength, allowBackslashInIds } = this.#store.conventions;
    checkId(id, maxIdLength, allowBackslashInIds);
    return JSON.stringify(id);
  }
}
