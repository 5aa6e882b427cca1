// `changes()` gives its object at once, also while the code is still being loaded: the calls are made when it is there.

import { fail } from "../common/error.js";

type Calls = Record<string, (...given: unknown[]) => object>;

/** An object whose members do what those of the promised one do. Values are `undefined` until it is there. */
export function standIn<Value extends object>(loading: Promise<object>): Value {
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
      if (real || !/^(for|ensure|o|dis|rem)/.test(name)) return value;
      return (...given: unknown[]) => {
        const isFor = /^for/.test(name);
        if (isFor && !/^forAll/.test(name) && !String(given[0] ?? "").trim())
          fail("InvalidArgument", `${name}: must not be empty`);
        const result = called.then((calls) => calls[name]?.(...given)) as Promise<object>;
        if (isFor) return standIn(result);
        if (/^ensure/.test(name)) return result;
        result.catch((error) => {
          if (given[0] === "error") (given[1] as (error: unknown) => void)(error);
        });
        return self;
      };
    },
  });
  return self;
}
