// A compare-exchange value, as operations and sessions give it.

import { AnyThis } from "../common/any-this.js";
import type { EntityType, IMetadataDictionary } from "../documents/entity-types.js";

/** A value and its index. */
export class CompareExchangeValue<T = unknown> extends AnyThis {
  /** Changes with each change of the value; 0: it does not exist. */
  declare index: number;
  declare key: string;
  /** `null`: it does not exist. */
  declare value: T;
  declare changeVector: string;
  #metadata: IMetadataDictionary | undefined;

  constructor(key: string, index: number, value: T, changeVector: string, metadata?: IMetadataDictionary) {
    super();
    this.key = key;
    this.index = index;
    this.value = value;
    this.changeVector = changeVector;
    this.#metadata = metadata;
  }

  /** The metadata; empty if there are none. */
  get metadata(): IMetadataDictionary {
    this.#metadata ??= {};
    return this.#metadata;
  }

  hasMetadata(): boolean {
    // A value that was made before this class was loaded has metadata of its own.
    return Object.hasOwn(this, "metadata") || this.#metadata !== undefined;
  }
}

/** The class that a value becomes an instance of. */
export type CompareExchangeResultClass<T> = T extends object ? EntityType<T> : never;
