// Some methods give their object at once, also while its code is still being loaded: the calls are made when it is there.

import { fail } from "../common/error.js";

type Calls = Record<string, (...given: unknown[]) => object>;

/** Names of members that give another object, that give the object itself, and that give a promise. */
type Members = readonly [part: RegExp, self: RegExp, promise: RegExp];

const MEMBERS: Members = [/^for|For$/, /^(o|dis|rem|try)/, /^(ensure|sto|fin|abo|inc|app)/];

/** An object whose members do what those of the promised one do. Values are `undefined` until it is there. */
export function standIn<Value extends object>(loading: Promise<object>, members = MEMBERS): Value {
  let real: Calls | undefined;
  const called = loading.then((value) => {
    real = value as Calls;
    return real;
  });
  called.catch(() => {});
  const self: Value = new Proxy({} as Value, {
    get: (_, member) => {
      const name = String(member);
      const value: unknown = real?.[name];
      if (typeof value === "function") return value.bind(real);
      const [isPart, isSelf, isPromise] = members.map((names) => names.test(name));
      if (real || !(isPart || isSelf || isPromise)) return value;
      return (...given: unknown[]) => {
        if (isPart && !/^forAll/.test(name) && !String(given[0] ?? "").trim())
          fail("InvalidArgument", `${name}: must not be empty`);
        // `tryStoreSync`: nothing is stored.
        if (/^try/.test(name)) return false;
        const result = called.then((calls) => calls[name]?.(...given)) as Promise<object>;
        if (isPart) return standIn(result, members);
        if (!isSelf) return result;
        result.catch((error) => {
          if (given[0] === "error") (given[1] as (error: unknown) => void)(error);
        });
        return self;
      };
    },
    set: (_, member, value) => {
      called.then(
        (object) => Reflect.set(object, member, value),
        () => {},
      );
      return true;
    },
  });
  return self;
}
