// Makes documents of entities, and entities of documents.

import { nameAttachments } from "../../attachments/attachment-names.js";
import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import type { JsonObject } from "../../common/json.js";
import type { Entity, IMetadataDictionary, ObjectTypeDescriptor } from "../entity-types.js";
import { put } from "../snapshots/put-member.js";
import { CUSTOM, NESTED } from "../snapshots/snapshot-values.js";
import { instance } from "./class-instances.js";
import { dateText } from "./date-format.js";
import {
  isBoxed,
  isRawJson,
  type NoteConventions,
  type Notes,
  plainValue,
  reviveValues,
} from "./dates-sets-maps.js";

/** The conventions that decide how values are written and read. */
export interface MappingConventions extends NoteConventions {
  /** Whether plain objects may be of a registered type. */
  readonly hasLiterals: boolean;
  /** Whether classes have other properties for their ids than `identityProperty`. */
  readonly hasOwnIdentities: boolean;
  readonly identityProperty: string;
  /** The property that shows an entity its id. */
  identityOf(entity: object): string;
  /** The class of a document that is loaded without one. */
  getJsType(id: string | undefined, document: object): ObjectTypeDescriptor | null;
}

export class EntityMapper {
  #conventions;

  constructor(conventions: MappingConventions) {
    this.#conventions = conventions;
  }

  /** Whether plain objects may need a note, too. */
  get hasLiterals(): boolean {
    return this.#conventions.hasLiterals;
  }

  /** Whether a value inside an entity needs a note. */
  isOdd(value: object): boolean {
    if (isRawJson(value)) throw CUSTOM;
    const isOdd = value instanceof Map || value instanceof Set;
    return isOdd || isBoxed(value) || this.#conventions.classNameOf(value) !== undefined;
  }

  /** An entity as JSON can show it, without id and metadata, and the notes for its metadata. */
  document(entity: Entity): { document: Entity; metadata: { [NESTED]: Notes } | undefined } {
    const nested: Notes = {};
    const source: unknown = typeof entity.toJSON === "function" ? entity.toJSON() : entity;
    if (!isObject(source) || Array.isArray(source))
      fail("InvalidArgument", "an entity is not an object in JSON; check its toJSON");
    const { [this.#conventions.identityOf(entity)]: _, "@metadata": __, ...rest } = source;
    const document = plainValue(rest, undefined, nested, this.#conventions) as Entity;
    return { document, metadata: Object.keys(nested).length > 0 ? { [NESTED]: nested } : undefined };
  }

  /** A value as a document has it. */
  value(value: unknown): unknown {
    return plainValue(value, undefined, {}, this.#conventions);
  }

  /** Replaces the dates of a document, whose members `dates` names, by their texts. */
  writeDates(document: Entity, dates: Notes): void {
    for (const name in dates) {
      const text = dateText(document[name] as Date, this.#conventions);
      // `put` is slow.
      if (name === "__proto__") put(document, name, text);
      else document[name] = text;
    }
  }

  /** The entity of a document: an instance of its class, if that is registered or given. */
  entity(document: Entity, type?: ObjectTypeDescriptor): Entity {
    const metadata: IMetadataDictionary = document["@metadata"] ?? {};
    nameAttachments(metadata);
    const made = type ?? this.#conventions.getJsType(metadata["@id"], document);
    const nested = metadata[NESTED];
    if (nested) this.revive(document, nested as Notes);
    const id = metadata["@id"];
    try {
      const entity = made ? instance(made, document) : document;
      // A projection is not the document that it was made of, and the result of a group has no id. A class may compute its id.
      if (id !== undefined && !metadata["@projection"]) this.#show(entity, id);
      return entity;
    } catch (cause) {
      const why = `${id ?? "a result"} cannot be made an instance of ${made?.name}: ${(cause as Error | undefined)?.message}`;
      fail("InvalidOperation", why, { cause });
    }
  }

  #show(entity: Entity, id: string): void {
    const { hasOwnIdentities, identityProperty } = this.#conventions;
    const identity = hasOwnIdentities ? this.#conventions.identityOf(entity) : identityProperty;
    try {
      entity[identity] = id;
    } catch {
      // Without an error where there is no setter, or the entity is frozen.
      Reflect.set(entity, identity, id);
    }
  }

  /** As `reviveValues`. */
  revive(document: JsonObject, nested: Notes): void {
    reviveValues(document, nested, this.#conventions);
  }
}
