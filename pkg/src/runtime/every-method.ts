// Objects whose methods nobody has listed: builders that record calls, and objects whose code is not loaded yet.

/** Names of members that are no methods, and symbols; `then`: an `async` function may return the object. */
const VALUE = /^(conn|last|then$|to[JS]|use|S)/;

/** Answers a call of any method that `real()` does not have; it has the other members. */
export function everyMethod<Made extends object>(
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
