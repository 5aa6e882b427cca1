/** Sets a member, also one whose name is `__proto__`; returns whether the object accepted it. */
export function put(object: object, name: string, value: unknown): boolean {
  if (name !== "__proto__") return Reflect.set(object, name, value);
  return Reflect.defineProperty(object, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
