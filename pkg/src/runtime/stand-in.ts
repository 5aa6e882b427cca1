// Some members give their object at once, also while its code is still being loaded: the calls are made when it is there.

import type { StoreBase } from "../store/store.js";
import { everyMethod } from "./every-method.js";
import { here, later } from "./load-part.js";

type Calls = Record<string, (...given: unknown[]) => object>;

/** The parts that make an object of a store. */
type StorePart = "bulkInsert" | "hilo" | "subscriptions" | "timeSeries";

/** Methods whose result nobody awaits. */
const UNAWAITED = /^(o[nf]|dispose|rem\w+r)/;

/** Calls methods of a promised object. What they give is a promise of their result, and has the methods of the result, too. */
function promised<Value extends object>(loading: Promise<object>, now: () => object): Value {
  return everyMethod((name, given) => {
    // `tryStoreSync`: nothing is stored.
    if (/^try/.test(name)) return false;
    const result = loading.then((calls) => (calls as Calls)[name]?.(...given)) as Promise<object>;
    if (UNAWAITED.test(name))
      result.catch((error) => {
        if (given[0] === "error") (given[1] as (error: unknown) => void)(error);
      });
    return promised(result, () => result);
  }, now);
}

/** An object whose members do what those of the promised one do. Values are `undefined` until it is there. */
export function standIn<Value extends object>(loading: Promise<object>): Value {
  const before = {};
  let real = before;
  loading.then(
    (value) => {
      real = Object.assign(value, before);
    },
    () => {},
  );
  return promised(loading, () => real);
}

/** The object that a part makes of a store. */
export function ofStore<Value extends object>(part: StorePart, store: StoreBase, ...given: unknown[]): Value {
  const make = (loaded: object) =>
    (loaded as { ofStore(...given: unknown[]): object }).ofStore(store, ...given);
  const loaded = here(part);
  return (loaded ? make(loaded) : standIn(later(part).then(make))) as Value;
}
