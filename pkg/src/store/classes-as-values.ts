// Classes that programs written for npm `ravendb` import as values, and of which this package itself makes no objects: arguments of
// listeners, the executor of requests, descriptors of plain objects. `instanceof` recognizes what listeners and programs get.

import type * as bulkInsert from "../bulk-insert/bulk-insert-types.js";
import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { EntityType, ObjectLiteralDescriptor } from "../documents/entity-types.js";
import type * as query from "../query/raw-query-types.js";
import type { InMemoryDocumentSessionOperations } from "../session/session-events.js";
import { RequestExecutor as Executor } from "./request-executor.js";
import type { RequestExecutor as PublicExecutor } from "./store-types.js";

const membersOf = (value: object) => Object.keys(value).sort().join();

/** Whether a value is an object of a class: made by it or, if the class is one of these, an object of this package with its members. */
function recognizes(type: typeof Recognized, value: unknown): boolean {
  if (Function.prototype[Symbol.hasInstance].call(type, value)) return true;
  // A class of the app that extends one of these has only its own objects.
  if (Object.getPrototypeOf(type) !== Recognized || !isObject(value)) return false;
  return membersOf(value) === membersOf(Reflect.construct(type, [])) && type.isOne(value);
}

/** The base of classes whose objects are recognized by their members. */
// biome-ignore lint/complexity/noStaticOnlyClass: classes extend it
abstract class Recognized {
  /**
   * Whether an object with the members of the class is one.
   * @internal
   */
  static isOne: (value: object) => boolean = () => true;

  static [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: each class that extends this one recognizes its own objects
    return recognizes(this, value);
  }
}

/** Whether listeners can replace a document: it stands in an object of its own then. */
const isReference = (value: object) =>
  Object.keys((value as { document: object }).document ?? {}).join() === "value";

export class SessionBeforeQueryEventArgs extends Recognized implements query.SessionBeforeQueryEventArgs {
  constructor(
    readonly session: query.SessionBeforeQueryEventArgs["session"],
    readonly queryCustomization: query.IDocumentQueryCustomization,
  ) {
    super();
  }
}

/**
 * A save is about to compare an entity with its snapshot (`beforeConversionToDocument`). Called for every entity of the session,
 * and again, after `beforeStore` listeners, for those that are sent. Changes that a listener makes are saved.
 */
export class BeforeConversionToDocumentEventArgs extends Recognized {
  constructor(
    readonly session: InMemoryDocumentSessionOperations,
    readonly id: string | null,
    readonly entity: object,
  ) {
    super();
  }
}

/**
 * An entity that is sent has become a document (`afterConversionToDocument`). A listener may change `document.value`, which will be
 * sent; the entity stays as it is.
 */
export class AfterConversionToDocumentEventArgs extends Recognized {
  constructor(
    readonly session: InMemoryDocumentSessionOperations,
    readonly id: string | null,
    readonly entity: object,
    readonly document: { value: object },
  ) {
    super();
  }

  /** @internal */
  static override isOne: (value: object) => boolean = isReference;
}

/** A document of the server is about to become an entity (`beforeConversionToEntity`). */
export class BeforeConversionToEntityEventArgs extends Recognized {
  constructor(
    readonly session: InMemoryDocumentSessionOperations,
    readonly id: string,
    /** The class that the app named, if it did. */
    readonly type: EntityType | undefined,
    /** The document with its `@metadata`. A listener may assign another one. */
    public document: object,
  ) {
    super();
  }
}

/** A document has become an entity (`afterConversionToEntity`). Changes that a listener makes are changes of the entity. */
export class AfterConversionToEntityEventArgs extends Recognized {
  constructor(
    readonly session: InMemoryDocumentSessionOperations,
    readonly id: string,
    readonly document: object,
    readonly entity: object,
  ) {
    super();
  }

  /** @internal */
  static override isOne = (value: object): boolean => !isReference(value);
}

export class BulkInsertOnProgressEventArgs
  extends Recognized
  implements bulkInsert.BulkInsertOnProgressEventArgs
{
  constructor(readonly progress: bulkInsert.BulkInsertProgress) {
    super();
  }
}

/** A request was sent. Listeners cannot change it; the option `headers` of the store can. */
export class BeforeRequestEventArgs extends Recognized {
  constructor(
    readonly database: string,
    /** The whole address; in a page it may be a path. */
    readonly url: string,
    readonly method: string,
  ) {
    super();
  }
}

/** A response with a status from 200 to 299 arrived. For a load that finds nothing (404), neither this nor `failedRequest` is emitted. */
export class SucceedRequestEventArgs extends Recognized {
  constructor(
    readonly database: string,
    /** The whole address; in a page it may be a path. */
    readonly url: string,
    /** Status and headers; its body has been read already. */
    readonly response: Response,
    readonly method: string,
  ) {
    super();
  }
}

/** The server could not be reached. */
export class FailedRequestEventArgs extends Recognized {
  constructor(
    readonly database: string,
    /** The whole address; in a page it may be a path. */
    readonly url: string,
    /** The error of `fetch`; an error `Timeout` if there was no response within the time limit. */
    readonly error: Error,
    readonly method: string,
  ) {
    super();
  }
}

/** The server has reported the nodes of the database. */
export class TopologyUpdatedEventArgs extends Recognized {
  constructor(
    readonly topology: { readonly etag: number; readonly nodes: readonly { readonly url: string }[] },
  ) {
    super();
  }
}

function refuse(..._given: unknown[]): never {
  fail(
    "Unsupported",
    "a store makes executors: new DocumentStore(urls, database).initialize().getRequestExecutor()",
  );
}

export interface RequestExecutor extends PublicExecutor {}

/** The class of {@link DocumentStore.getRequestExecutor}. Only stores make executors: its other members throw `Unsupported`. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: `instanceof` recognizes the objects of another class
// biome-ignore lint/complexity/noStaticOnlyClass: programs call these
export abstract class RequestExecutor {
  static [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Executor;
  }

  static create: (...given: unknown[]) => never = refuse;
  static createForFixedTopology: (...given: unknown[]) => never = refuse;
  static createForSingleNodeWithConfigurationUpdates: (...given: unknown[]) => never = refuse;
  static createForSingleNodeWithoutConfigurationUpdates: (...given: unknown[]) => never = refuse;
}

/** Describes entities that are plain objects, for {@link DocumentConventions.registerEntityType}. */
export abstract class EntityObjectLiteralDescriptor<T extends object> implements ObjectLiteralDescriptor<T> {
  abstract name: string;
  abstract isType(object: object): boolean;
  abstract construct(document: object): T;
}

/** Describes plain objects that have all of these properties. */
export abstract class PropsBasedObjectLiteralDescriptor<T extends object>
  implements EntityObjectLiteralDescriptor<T>
{
  abstract name: string;
  abstract properties: string[];
  abstract construct(document: object): T;

  isType(object: object): boolean {
    return this.properties.every((name) => Object.hasOwn(object, name));
  }
}
