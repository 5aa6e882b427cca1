// Compare-exchange values: one value for each key, which the whole cluster agrees about. Names and results are those of npm `ravendb`.

import { AnyThis } from "../common/any-this.js";
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
import type { CommandRequest, RavenCommand, RavenOperation, SentCommand } from "./operation-types.js";

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

/** A command that changes a value. It may be repeated: requests with the same id count once. */
function change<T>(
  request: CommandRequest,
  parameters: Record<string, unknown>,
  read: (stored: Stored) => T,
): SentCommand<CompareExchangeResult<T>> {
  const route = routeOf(Object.entries({ ...parameters, "raft-request-id": randomId() }));
  return {
    request: { ...request, route, safe: true },
    result: null as never,
    settle({ text }) {
      const { Index, Successful, Value } = JSON.parse(text) as {
        Index: number;
        Successful: boolean;
        Value?: Stored | null;
      };
      const value = Value ? read(Value) : null;
      this.result = Object.assign(new CompareExchangeResult<T>(), {
        value: value as T,
        index: Index,
        successful: Successful,
      });
    },
  };
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
export class PutCompareExchangeValueOperation<T>
  extends AnyThis
  implements RavenOperation<CompareExchangeResult<T>>
{
  #key;
  #value;
  #index;
  #metadata;

  /**
   * @param index The expected index; 0: the value must not exist.
   * @param metadata For example `@expires`.
   */
  constructor(key: string, value: T, index: number, metadata?: IMetadataDictionary) {
    super();
    this.#key = key;
    this.#value = value;
    this.#index = index;
    this.#metadata = metadata;
  }

  getCommand(conventions: DocumentConventions): RavenCommand<CompareExchangeResult<T>> {
    const [key, index, value] = [this.#key, this.#index, this.#value];
    assertKey(key);
    assertIndex(index);
    const body = { Object: value, "@metadata": this.#metadata };
    const type = isObject(value) ? classOf(value) : undefined;
    return change({ method: "PUT", route: "", body }, { key, index }, reader<T>(conventions, type));
  }
}

/** Deletes a value if it has the expected index (`DELETE cmpxchg`). If it has not, the result says so: this is no error. */
export class DeleteCompareExchangeValueOperation<T>
  extends AnyThis
  implements RavenOperation<CompareExchangeResult<T>>
{
  #key;
  #index;
  #type;

  constructor(key: string, index: number, clazz?: CompareExchangeResultClass<T>) {
    super();
    this.#key = key;
    this.#index = index;
    this.#type = clazz;
  }

  getCommand(conventions: DocumentConventions): RavenCommand<CompareExchangeResult<T>> {
    const [key, index] = [this.#key, this.#index];
    assertKey(key);
    assertIndex(index);
    return change({ method: "DELETE", route: "" }, { key, index }, reader<T>(conventions, this.#type));
  }
}

/** Reads values; those that do not exist have the value `null`. */
function reading<T, Result>(
  parameters: (readonly [string, unknown])[],
  read: (stored: Stored) => T,
  resultOf: (values: CompareExchangeValue<T>[]) => Result,
): SentCommand<Result> {
  return {
    request: { route: routeOf(parameters) },
    result: null as Result,
    settle({ text }) {
      const { Results } = (text ? JSON.parse(text) : { Results: [] }) as { Results: Listed[] };
      const values = Results.map(({ Key, Index, Value, ChangeVector }) => {
        const value = (Value ? read(Value) : null) as T;
        return new CompareExchangeValue<T>(Key, Index, value, ChangeVector as string, Value?.["@metadata"]);
      });
      this.result = resultOf(values);
    },
  };
}

/** Reads a value (`GET cmpxchg`); the result is `undefined` if it does not exist. */
export class GetCompareExchangeValueOperation<T>
  extends AnyThis
  implements RavenOperation<CompareExchangeValue<T>>
{
  #key;
  #type;

  /** @param _materializeMetadata Not used; npm `ravendb` has it here. */
  constructor(key: string, clazz?: CompareExchangeResultClass<T>, _materializeMetadata?: boolean) {
    super();
    this.#key = key;
    this.#type = clazz;
  }

  getCommand(conventions: DocumentConventions): RavenCommand<CompareExchangeValue<T>> {
    assertKey(this.#key);
    // As in npm `ravendb`, `undefined` if there is none.
    const first = ([value]: CompareExchangeValue<T>[]) => value as CompareExchangeValue<T>;
    return reading([["key", this.#key]], reader<T>(conventions, this.#type), first);
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
export class GetCompareExchangeValuesOperation<T>
  extends AnyThis
  implements RavenOperation<Record<string, CompareExchangeValue<T>>>
{
  #parameters: (readonly [string, unknown])[];
  #type;

  /** @throws {RavenEdgeError} `InvalidArgument` without keys and without `startWith`. */
  constructor({ keys, startWith, start, pageSize, clazz }: GetCompareExchangeValuesParameters<T>) {
    super();
    if (keys ? keys.length === 0 : startWith == null)
      fail("InvalidArgument", "GetCompareExchangeValuesOperation needs keys, or startWith");
    this.#parameters = keys
      ? keys.map((key) => ["key", key] as const)
      : Object.entries({
          startsWith: startWith || undefined,
          start: start || undefined,
          pageSize: pageSize || undefined,
        });
    this.#type = clazz;
  }

  getCommand(conventions: DocumentConventions): RavenCommand<Record<string, CompareExchangeValue<T>>> {
    const byKey = (values: CompareExchangeValue<T>[]) =>
      Object.fromEntries(values.map((value) => [value.key, value]));
    return reading(this.#parameters, reader<T>(conventions, this.#type), byKey);
  }
}
