// Some members give their object at once, also while its code is still being loaded: the calls are made when it is there.

import type { PartName } from "../capabilities/capabilities.js";
import type { SessionPart } from "../capabilities/session-part.js";
import { attachmentNames } from "../documents/listed-names.js";
import { addLazy, type Load } from "../loading/lazy-operations.js";
import type { SessionState } from "../session/session-state.js";
import type { StoreBase } from "../store/store.js";
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

/** Names of members that are no methods, and symbols; `then`: an `async` function may return the object. */
const VALUE = /^(conn|last|then$|to[JS]|use|S)/;

/** Answers a call of any method that `real()` does not have; it has the other members. */
function everyMethod<Made extends object>(
  answer: (name: string, given: unknown[]) => unknown,
  real: () => object = () => ({}),
): Made {
  const get = (_: object, member: string | symbol) => {
    const own = real();
    const name = String(member);
    if (!(name in own) && !VALUE.test(name)) return (...given: unknown[]) => answer(name, given);
    const value = (own as Record<string, unknown>)[name];
    return typeof value === "function" ? value.bind(own) : value;
  };
  const set = (_: object, member: string | symbol, value: unknown) => Reflect.set(real(), member, value);
  return new Proxy<object>({}, { get, set }) as Made;
}

/**
 * `given`: the app's arguments for `of`. Methods whose names begin with "get" or "ex" give promises; the others return nothing and change
 * what the next save sends; one whose name begins with "cr" gives the object that it creates.
 */
export function capabilityOf<Made extends object>(
  state: SessionState,
  name: PartName,
  given: unknown[],
): Made {
  const part: SessionPart | undefined = here(name);
  if (part) return part.of?.(state, ...(given as never[])) as Made;
  return everyMethod(
    (member, more) => {
      const isRead = /^(get|ex)/.test(member);
      // The code completes it when it is loaded.
      const made = /^cr/.test(member)
        ? { key: more[0], value: more[1], index: 0, metadata: {}, hasMetadata: () => false }
        : undefined;
      const call = async () =>
        (await later("capabilities")).callEarly(
          state,
          name,
          given,
          member,
          made ? [...more, made] : more,
          isRead,
        );
      if (isRead) return call();
      // What cannot be done must not be missing in a save that succeeds.
      state.runOrQueue(call, member).catch((error: unknown) => {
        state.unitOfWork.storedCommand({
          type: "",
          serialize() {
            throw error;
          },
        });
      });
      return made;
    },
    // These need no loading.
    () => ({
      lazily: lazies(state, name),
      getNames: (entity: object) => attachmentNames(state, entity),
    }),
  );
}

/** `lazily` of such an object: the code is loaded when the values are requested. */
export function lazies<Made extends object>(state: SessionState, name: PartName): Made {
  return everyMethod((member, given) =>
    addLazy(state, async () => {
      const part: SessionPart = await later(name);
      return part.lazy?.(state, member, given) as Load;
    }),
  );
}
