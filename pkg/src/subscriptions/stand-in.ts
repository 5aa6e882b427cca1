// `store.subscriptions`, and workers, also while their code is still being loaded.

import { here, later } from "../runtime/load-part.js";
import type { StoreBase } from "../store/store.js";
import type { DocumentSubscriptions } from "./subscription-types.js";

type Members = Record<string, unknown>;

/** Calls wait until the object is there; then its members are those of the object. */
function soon(loading: Promise<object>): object {
  let real: Members | undefined;
  const ready = loading.then((value) => {
    real = value as Members;
    return real;
  });
  const self: object = new Proxy(loading, {
    get(_, member: string) {
      // An `async` function may return this object.
      if (member === "then") return;
      const value = real?.[member];
      if (real) return typeof value === "function" ? value.bind(real) : value;
      return (...given: unknown[]) => {
        const called = ready.then((made) => (made[member] as (...given: unknown[]) => object)(...given));
        if (/^getS\w+W/.test(member)) return soon(called);
        return /^(o|re)/.test(member) ? self : called;
      };
    },
  });
  return self;
}

export function subscriptionsOf(store: StoreBase): DocumentSubscriptions {
  const part = here("subscriptions");
  return part
    ? part.of(store)
    : (soon(later("subscriptions").then((made) => made.of(store))) as DocumentSubscriptions);
}
