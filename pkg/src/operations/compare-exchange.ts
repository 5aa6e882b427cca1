// Compare-exchange values: one value for each key, which the whole cluster agrees about. Names and results are those of npm `ravendb`.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { classOf } from "../common/value-kinds.js";
import type { Entity, EntityType, IMetadataDictionary } from "../documents/entity-types.js";
import { EntityMapper, type MappingConventions } from "../documents/mapping/entity-mapper.js";
import { assertKey } from "../saving/batch-commands.js";
import type { DocumentConventions } from "../store/conventions.js";
import { query } from "../wire/query-string.js";
import { randomId } from "../wire/random-id.js";
import { type CompareExchangeResultClass, CompareExchangeValue } from "./compare-exchange-value.js";
import type { CommandRequest } from "./operation-types.js";
import { CommandOperation, reading } from "./single-request.js";

/** The result of a change. */
export class CompareExchangeResult<T = unknown> {
  /** The value that the server has now: the new one, or the one that was in the way. After a deletion the deleted one. */
  declare value: T;
  declare index: number;
  /** Whether the value was changed; `false`: its index was another one. */
  declare successful: boolean;
}

/** As the server sends a value. */
interface Stored {
  Object?: unknown;
  "@metadata"?: IMetadataDictionary;
}

/**
 * As the server sends it with its key; an index of -1: it does not exist.
 * @internal
 */
export interface Listed {
  Key: string;
  Index: number;
  Value?: Stored | null;
  ChangeVector?: string;
}

/** @internal */
export const routeOf = (parameters: (readonly [string, unknown])[]): string => `cmpxchg?${query(parameters)}`;

/** @internal */
export function assertIndex(index: unknown): asserts index is number {
  if (!(Number.isSafeInteger(index) && (index as number) >= 0))
    fail(
      "InvalidArgument",
      "the index of a compare-exchange value is a number from 0: 0 means that it must not exist",
    );
}

/**
 * Makes values of what the server sends.
 * @internal
 */
export function reader<T>(
  conventions: MappingConventions,
  type: EntityType | undefined,
): (stored: Stored) => T {
  return ({ Object: value }) => {
    const isMapped = type && isObject(value) && !Array.isArray(value);
    return (isMapped ? new EntityMapper(conventions).entity(value as Entity, type) : value) as T;
  };
}

/** The response to a change. */
interface Changed {
  Index: number;
  Successful: boolean;
  Value?: Stored | null;
}

/** Changes a value. The command may be repeated: requests with the same id count once. */
class ChangeOperation<T> extends CommandOperation<CompareExchangeResult<T>, [DocumentConventions]> {
  /** @internal */
  constructor(key: string, index: number, type: EntityType | undefined, method: string, body?: object) {
    super((conventions) => {
      assertKey(key);
      assertIndex(index);
      const route = routeOf(Object.entries({ key, index, "raft-request-id": randomId() }));
      const read = reader<T>(conventions, type);
      const request: CommandRequest = { method, route, body, safe: true };
      return reading(request, ({ Index: index, Successful: successful, Value }: Changed) => {
        const value = (Value ? read(Value) : null) as T;
        return Object.assign(new CompareExchangeResult<T>(), { value, index, successful });
      });
    });
  }
}

/**
 * Sets a value if it has the expected index (`PUT cmpxchg`). If it has not, the result says so: this is no error.
 *
 * ```ts
 * const claim = new PutCompareExchangeValueOperation("emails/ada@example.com", "users/1-A", 0);
 * const { successful, value } = await store.operations.send(claim);
 * if (!successful) throw new Error(`the address belongs to ${value}`);
 * ```
 *
 * A lost response is no question: the request is sent again with the same id, and counts once.
 */
export class PutCompareExchangeValueOperation<T> extends ChangeOperation<T> {
  /**
   * @param index The expected index; 0: the value must not exist.
   * @param metadata For example `@expires`.
   */
  constructor(key: string, value: T, index: number, metadata?: IMetadataDictionary) {
    const type = isObject(value) ? classOf(value) : undefined;
    super(key, index, type, "PUT", { Object: value, "@metadata": metadata });
  }
}

/** Deletes a value if it has the expected index (`DELETE cmpxchg`). If it has not, the result says so: this is no error. */
export class DeleteCompareExchangeValueOperation<T> extends ChangeOperation<T> {
  constructor(key: string, index: number, clazz?: CompareExchangeResultClass<T>) {
    super(key, index, clazz, "DELETE");
  }
}

/** Reads values; those that do not exist have the value `null`. */
class ReadOperation<T, Result> extends CommandOperation<Result, [DocumentConventions]> {
  /** @internal */
  constructor(
    parameters: () => (readonly [string, unknown])[],
    type: EntityType | undefined,
    resultOf: (values: CompareExchangeValue<T>[]) => Result,
  ) {
    super((conventions) => {
      const read = reader<T>(conventions, type);
      const made = ({ Key, Index, Value, ChangeVector }: Listed) => {
        const value = (Value ? read(Value) : null) as T;
        return new CompareExchangeValue<T>(Key, Index, value, ChangeVector as string, Value?.["@metadata"]);
      };
      return reading(
        { route: routeOf(parameters()) },
        ({ Results }: { Results: Listed[] }) => resultOf(Results.map(made)),
        (text) => (text ? JSON.parse(text) : { Results: [] }),
      );
    });
  }
}

/** Reads a value (`GET cmpxchg`); the result is `undefined` if it does not exist. */
export class GetCompareExchangeValueOperation<T> extends ReadOperation<T, CompareExchangeValue<T>> {
  /** @param _materializeMetadata Not used; npm `ravendb` has it here. */
  constructor(key: string, clazz?: CompareExchangeResultClass<T>, _materializeMetadata?: boolean) {
    const parameters = () => {
      assertKey(key);
      return [["key", key] as const];
    };
    // As in npm `ravendb`, `undefined` if there is none.
    super(parameters, clazz, ([value]) => value as CompareExchangeValue<T>);
  }
}

/** Which values {@link GetCompareExchangeValuesOperation} reads: by keys, or by the prefix of keys. */
export interface GetCompareExchangeValuesParameters<T> {
  keys?: string[];
  startWith?: string;
  /** How many values are skipped; default 0. */
  start?: number;
  /** How many values at most; default: all. */
  pageSize?: number;
  /** Not used; npm `ravendb` has it here. */
  materializeMetadata?: boolean;
  clazz?: CompareExchangeResultClass<T>;
}

/** Reads several values; the result has them by key. */
export class GetCompareExchangeValuesOperation<T> extends ReadOperation<
  T,
  Record<string, CompareExchangeValue<T>>
> {
  /** @throws {RavenEdgeError} `InvalidArgument` without keys and without `startWith`. */
  constructor({ keys, startWith, start, pageSize, clazz }: GetCompareExchangeValuesParameters<T>) {
    if (keys ? keys.length === 0 : startWith == null)
      fail("InvalidArgument", "GetCompareExchangeValuesOperation needs keys, or startWith");
    const parameters = keys
      ? keys.map((key) => ["key", key] as const)
      : Object.entries({
          startsWith: startWith || undefined,
          start: start || undefined,
          pageSize: pageSize || undefined,
        });
    super(
      () => parameters,
      clazz,
      (values) => Object.fromEntries(values.map((value) => [value.key, value])),
    );
  }
}
