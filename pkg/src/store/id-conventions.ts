// The conventions of a store that makes only ids. The conventions of documents extend them.

import { AnyThis } from "../common/any-this.js";
import { checkName } from "../common/arguments.js";
import { fail } from "../common/error.js";

/** Conventions that may change at any time, as in npm `ravendb`. */
const NEVER_FROZEN = ["findCollectionNameForObjectLiteral", "maxNumberOfRequestsPerSession"];

/** Makes members of an object keep their values; setting one calls `refuse`. */
export function freezeMembers(object: object, names: string[], refuse: (name: string) => void): void {
  for (const name of names) {
    const value = object[name as keyof object];
    Object.defineProperty(object, name, { get: () => value, set: () => refuse(name) });
  }
}

export class IdConventions extends AnyThis {
  /** Stands between prefix and number of HiLo ids; one character, default `"/"`. Ids that the server makes have `/`. */
  identityPartsSeparator = "/";
  /** Uses only the addresses that the app gave, whatever nodes the server reports; default `false`. */
  disableTopologyUpdates = false;
  #frozen = false;

  /**
   * Freezes all conventions but a few. `_store`: whose conventions these are.
   * @internal
   */
  freeze(_store?: unknown): void {
    if (this.#frozen) return;
    this.#frozen = true;
    const names = Object.keys(this).filter((name) => !NEVER_FROZEN.includes(name));
    freezeMembers(this, names, (name) => this.assertNotFrozen(name));
  }

  /** @internal */
  assertNotFrozen(name: string): void {
    if (this.#frozen)
      fail("InvalidOperation", `conventions.${name} cannot change after initialize(): set it before`);
  }
}

/** Conventions whose constructors have ended. */
const complete = new WeakSet<object>();

/** Refuses from now on to set a member that these conventions do not have: an unknown convention would be ignored without an error. */
export function guard<Conventions extends object>(conventions: Conventions): Conventions {
  complete.add(conventions);
  return conventions;
}

// The proxy stands behind the prototypes, so an assignment reaches it only if neither the object nor its classes have the member. Builds for
// older browsers (ES2021) write fields of classes as assignments, so until the constructor has ended they make the member.
Object.setPrototypeOf(
  IdConventions.prototype,
  new Proxy(AnyThis.prototype, {
    set(_target, name, value, conventions) {
      if (!complete.has(conventions))
        return Reflect.defineProperty(conventions, name, {
          value,
          configurable: true,
          enumerable: true,
          writable: true,
        });
      checkName("convention", name, Object.keys(conventions));
      return false;
    },
  }),
);
