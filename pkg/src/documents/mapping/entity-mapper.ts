// Makes documents of entities, and entities of documents.

import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import type { JsonObject } from "../../common/json.js";
import { builtInOf } from "../../common/value-kinds.js";
import type { EntityToJson } from "../../session/session-options.js";
import type {
  DocumentType,
  Entity,
  Identity,
  IMetadataDictionary,
  ObjectTypeDescriptor,
} from "../entity-types.js";
import { nameAttachments } from "../listed-names.js";
import { put } from "../snapshots/put-member.js";
import { CUSTOM, META, NESTED } from "../snapshots/snapshot-values.js";
import { dateText } from "./date-format.js";
import {
  instance,
  isRawJson,
  type Notes,
  PlainValues,
  type ReadingConventions,
  reviveValues,
  type WritingConventions,
} from "./nested-types.js";

/** The conventions that decide how values are written and read. */
export interface MappingConventions extends WritingConventions, ReadingConventions {
  /** Whether plain objects may be of a registered type. */
  readonly hasLiterals: boolean;
  readonly identity: Identity;
  /** The class of a document that is loaded without one. */
  getJsType(id: string | undefined, document: object): ObjectTypeDescriptor | null;
}

export class EntityMapper {
  #conventions;
  #identity;

  constructor(conventions: MappingConventions) {
    this.#conventions = conventions;
    this.#identity = conventions.identity;
  }

  /** The property that shows an entity its id; `undefined`: none. */
  identityOf(entity: object): string | undefined {
    const identity = this.#identity;
    return (typeof identity === "function" ? identity(entity) : identity) || undefined;
  }

  /** Whether plain objects may need a note, too. */
  get hasLiterals(): boolean {
    return this.#conventions.hasLiterals;
  }

  /** Whether a value inside an entity needs a note. */
  isOdd(value: object): boolean {
    if (isRawJson(value)) throw CUSTOM;
    return (builtInOf(value) ?? this.#conventions.classNameOf(value)) !== undefined;
  }

  /** An entity as JSON can show it, without id and metadata, and the notes for its metadata. */
  document(entity: Entity): { document: Entity; metadata: { [NESTED]: Notes } | undefined } {
    const source: unknown = typeof entity.toJSON === "function" ? entity.toJSON() : entity;
    if (!isObject(source) || Array.isArray(source))
      fail("InvalidArgument", "an entity is not an object in JSON; check its toJSON");
    const { "@metadata": _, ...rest } = this.withoutId(source as Entity, entity);
    const values = new PlainValues(this.#conventions);
    const document = values.of(rest, undefined, entity) as Entity;
    const { notes } = values;
    return { document, metadata: Object.keys(notes).length > 0 ? { [NESTED]: notes } : undefined };
  }

  /** A copy of an entity without its id. `of`: the entity, if that is what its `toJSON` has returned. */
  withoutId(entity: Entity, of = entity): Entity {
    const copy = { ...entity };
    const identity = this.identityOf(of);
    if (identity) Reflect.deleteProperty(copy, identity);
    return copy;
  }

  /** A value as a document has it. */
  value(value: unknown): unknown {
    return new PlainValues(this.#conventions).of(value);
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
      if (id !== undefined && !metadata["@projection"]) this.showId(entity, id);
      return entity;
    } catch (cause) {
      const why = `${id ?? "a result"} cannot be made an instance of ${made?.name}: ${(cause as Error | undefined)?.message}`;
      fail("InvalidOperation", why, { cause });
    }
  }

  /** Writes the id into an entity. */
  showId(entity: Entity, id: string, identity = this.identityOf(entity)): void {
    if (!identity) return;
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

/** What it needs of a session. */
interface MappingSession {
  readonly mapper: EntityMapper;
  readonly conventions: { classOf(type: DocumentType | null): ObjectTypeDescriptor | undefined };
  readonly noTracking: boolean;
}

export function entityToJson({ mapper, conventions, noTracking }: MappingSession): EntityToJson {
  // The function that the app replaces: its own one may call it.
  const make = mapper.entity.bind(mapper);
  // Frozen: assigning another member is an error, and not ignored.
  return Object.freeze<EntityToJson>({
    convertEntityToJson(entity: Entity) {
      const { document, metadata } = mapper.document(entity);
      const { [META]: shown } = entity;
      return shown ? { ...document, [META]: { ...shown, ...metadata } } : document;
    },
    get convertToEntity(): EntityToJson["convertToEntity"] {
      return (type, _id, document) => make(document as Entity, conventions.classOf(type));
    },
    set convertToEntity(convert) {
      mapper.entity = (document, type) => {
        const { [META]: metadata } = document;
        const entity = convert.call(this, type ?? null, metadata?.["@id"] ?? "", document, !noTracking);
        if (!isObject(entity)) fail("InvalidOperation", "convertToEntity returns an object");
        // A save would remove metadata that the entity does not show.
        if (!entity[META]) Reflect.set(entity, META, metadata);
        return entity;
      };
    },
  });
}
