// Classes that programs written for npm `ravendb` import as values, and of which this package itself makes no objects: arguments of
// listeners, the executor of requests, descriptors of plain objects. `instanceof` recognizes what listeners and programs get.

import type * as bulkInsert from "../bulk-insert/bulk-insert-types.js";
import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { EntityType, ObjectLiteralDescriptor } from "../documents/entity-types.js";
import type * as query from "../query/raw-query-types.js";
import type * as session from "../session/session-events.js";
import { RequestExecutor as Executor } from "./request-executor.js";
import type * as store from "./store-event-types.js";
import type { RequestExecutor as PublicExecutor } from "./store-types.js";

type Session = session.InMemoryDocumentSessionOperations;

/** Whether a value is an object of a class: made by it or, if the class is one of these, an object of this package with its members. */
function recognizes(type: typeof Recognized, value: unknown): boolean {
  if (Function.prototype[Symbol.hasInstance].call(type, value)) return true;
  // A class of the app that extends one of these has only its own objects.
  return Object.hasOwn(type, "members") && isObject(value) && type.isOne(value, type.members());
}

/** The base of classes whose objects are recognized by their members. */
// biome-ignore lint/complexity/noStaticOnlyClass: classes extend it
abstract class Recognized {
  /**
   * The names of the members.
   * @internal
   */
  static members(): string {
    return "";
  }

  /** @internal */
  static isOne(value: object, members: string): boolean {
    return Object.keys(value).sort().join(" ") === members;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: each class that extends this one recognizes its own objects
    return recognizes(this, value);
  }
}

/** Whether listeners can replace a document: it stands in an object of its own then. */
const isReference = (value: object) =>
  Object.keys((value as { document: object }).document ?? {}).join() === "value";

export class SessionBeforeQueryEventArgs extends Recognized implements query.SessionBeforeQueryEventArgs {
  /** @internal */
  static override members(): string {
    return "queryCustomization session";
  }

  constructor(
    readonly session: query.SessionBeforeQueryEventArgs["session"],
    readonly queryCustomization: query.IDocumentQueryCustomization,
  ) {
    super();
  }
}

export class BeforeConversionToDocumentEventArgs
  extends Recognized
  implements session.BeforeConversionToDocumentEventArgs
{
  /** @internal */
  static override members(): string {
    return "entity id session";
  }

  constructor(
    readonly session: Session,
    readonly id: string | null,
    readonly entity: object,
  ) {
    super();
  }
}

export class AfterConversionToDocumentEventArgs
  extends Recognized
  implements session.AfterConversionToDocumentEventArgs
{
  /** @internal */
  static override members(): string {
    return "document entity id session";
  }

  /** @internal */
  static override isOne(value: object, members: string): boolean {
    return Recognized.isOne(value, members) && isReference(value);
  }

  constructor(
    readonly session: Session,
    readonly id: string | null,
    readonly entity: object,
    readonly document: { value: object },
  ) {
    super();
  }
}

export class BeforeConversionToEntityEventArgs
  extends Recognized
  implements session.BeforeConversionToEntityEventArgs
{
  /** @internal */
  static override members(): string {
    return "document id session type";
  }

  constructor(
    readonly session: Session,
    readonly id: string,
    readonly type: EntityType | undefined,
    public document: object,
  ) {
    super();
  }
}

export class AfterConversionToEntityEventArgs
  extends Recognized
  implements session.AfterConversionToEntityEventArgs
{
  /** @internal */
  static override members(): string {
    return "document entity id session";
  }

  /** @internal */
  static override isOne(value: object, members: string): boolean {
    return Recognized.isOne(value, members) && !isReference(value);
  }

  constructor(
    readonly session: Session,
    readonly id: string,
    readonly document: object,
    readonly entity: object,
  ) {
    super();
  }
}

export class BulkInsertOnProgressEventArgs
  extends Recognized
  implements bulkInsert.BulkInsertOnProgressEventArgs
{
  /** @internal */
  static override members(): string {
    return "progress";
  }

  constructor(readonly progress: bulkInsert.BulkInsertProgress) {
    super();
  }
}

export class BeforeRequestEventArgs extends Recognized implements store.BeforeRequestEventArgs {
  /** @internal */
  static override members(): string {
    return "database method url";
  }

  constructor(
    readonly database: string,
    readonly url: string,
    readonly method: string,
  ) {
    super();
  }
}

export class SucceedRequestEventArgs extends Recognized implements store.SucceedRequestEventArgs {
  /** @internal */
  static override members(): string {
    return "database method response url";
  }

  constructor(
    readonly database: string,
    readonly url: string,
    readonly response: Response,
    readonly method: string,
  ) {
    super();
  }
}

export class FailedRequestEventArgs extends Recognized implements store.FailedRequestEventArgs {
  /** @internal */
  static override members(): string {
    return "database error method url";
  }

  constructor(
    readonly database: string,
    readonly url: string,
    readonly error: Error,
    readonly method: string,
  ) {
    super();
  }
}

export class TopologyUpdatedEventArgs extends Recognized implements store.TopologyUpdatedEventArgs {
  /** @internal */
  static override members(): string {
    return "topology";
  }

  constructor(readonly topology: store.TopologyUpdatedEventArgs["topology"]) {
    super();
  }
}

function refuse(): never {
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

  static create(..._given: unknown[]): never {
    refuse();
  }

  static createForFixedTopology(..._given: unknown[]): never {
    refuse();
  }

  static createForSingleNodeWithConfigurationUpdates(..._given: unknown[]): never {
    refuse();
  }

  static createForSingleNodeWithoutConfigurationUpdates(..._given: unknown[]): never {
    refuse();
  }
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
