// `changes()` gives its object at once, also while the code is still being loaded: the calls are made when it is there.

import { fail } from "../common/error.js";

type Calls = Record<string, (...given: unknown[]) => object>;

/** An object whose members do what those of the promised one do. `connected` is `undefined` until then. */
export function standIn<Value extends object>(loading: Promise<object>): Value {
  let real: Calls | undefined;
  loading.then(
    (value) => {
      real = value as Calls;
    },
    () => {},
  );
  const member = (name: string) => {
    if (real) {
      const value: unknown = real[name];
      return typeof value === "function" ? value.bind(real) : value;
    }
    if (!/^(for|ensure|o|dis|rem)/.test(name)) return undefined;
    return (...given: unknown[]) => {
      const isFor = name.startsWith("for");
      if (isFor && !/^forAll/.test(name) && !String(given[0] ?? "").trim())
        fail("InvalidArgument", `${name}: must not be empty`);
      const called = loading.then((value) => (value as Calls)[name]?.(...given)) as Promise<object>;
      if (name.startsWith("ensure")) return called;
      if (isFor) return standIn(called);
      called.catch((error) => {
        if (given[0] === "error") (given[1] as (error: unknown) => void)(error);
      });
      return self;
    };
  };
  const self = new Proxy({} as Value, { get: (_, name) => member(String(name)) });
  return self;
}
