// Commands about compare-exchange values for `session.advanced.defer`: they are part of the transaction of a cluster-wide save.

import { AnyThis } from "../common/any-this.js";
import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { ICommandData } from "./batch-commands.js";

function assertKey(key: unknown): void {
  if (!isText(key)) fail("InvalidArgument", "a compare-exchange value needs a key");
}

/**
 * Sets a value if it has the expected index; else the whole save fails with `Concurrency`.
 *
 * ```ts
 * const session = store.openSession({ transactionMode: "ClusterWide" });
 * const claim = new PutCompareExchangeCommandData("emails/ada@example.com", { Object: "users/ada" }, 0);
 * session.advanced.defer(claim);
 * await session.store(user, "users/ada");
 * await session.saveChanges();
 * ```
 */
export class PutCompareExchangeCommandData extends AnyThis implements ICommandData {
  readonly type = "CompareExchangePUT";
  /** The key. */
  declare readonly id: string;
  #value: object;
  #index: number;

  /**
   * @param value The value as the server stores it: `{ Object: value }`, as in npm `ravendb`.
   * @param index The expected index; 0: the value must not exist.
   */
  constructor(key: string, value: object, index: number) {
    super();
    assertKey(key);
    this.id = key;
    this.#value = value;
    this.#index = index;
  }

  serialize(conventions?: DocumentConventions): object;
  serialize(): object {
    return { Id: this.id, Document: this.#value, Index: this.#index, Type: this.type };
  }
}

/** Deletes a value if it has the expected index; else the whole save fails with `Concurrency`. */
export class DeleteCompareExchangeCommandData extends AnyThis implements ICommandData {
  readonly type = "CompareExchangeDELETE";
  /** The key. */
  declare readonly id: string;
  #index: number;

  constructor(key: string, index: number) {
    super();
    assertKey(key);
    this.id = key;
    this.#index = index;
  }

  serialize(conventions?: DocumentConventions): object;
  serialize(): object {
    return { Id: this.id, Index: this.#index, Type: this.type };
  }
}
