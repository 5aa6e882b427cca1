// Classes of objects that apps get, and may put behind a proxy.

/** The key of a function that gives an object itself: the proxies of frameworks pass functions on unchanged. */
const SELF = Symbol("itself");

/**
 * A class lists here, as a static member, the methods that find their object themselves: those that are called once for each document, where
 * a call in between would show.
 */
export const FINDS_ITSELF = Symbol("finds itself");

/**
 * What apps get and call: methods work whatever `this` is, also a proxy of the object, which has no private members. They run with the
 * object itself; one that returns its object returns what it was called on.
 */
export class AnyThis {
  constructor() {
    mark(this, () => this);
    for (let at: AnyThis = new.target.prototype; !Object.hasOwn(at, SELF); at = Object.getPrototypeOf(at)) {
      mark(at, AnyThis.prototype[SELF]);
      wrap(at);
    }
  }

  [SELF](): this {
    return this;
  }
}

/** By definition: an assignment would count as one of a convention. */
const mark = (object: AnyThis, value: () => object) => Object.defineProperty(object, SELF, { value });

/** The object that a proxy stands for. */
export function itself<Value extends AnyThis>(object: Value): Value {
  return object[SELF]();
}

/** Makes the methods and accessors of a class find their object. */
function wrap(prototype: AnyThis): void {
  const direct = (prototype.constructor as { [FINDS_ITSELF]?: readonly unknown[] })[FINDS_ITSELF];
  for (const name of Reflect.ownKeys(prototype)) {
    if (direct?.includes(name)) continue;
    const member = Reflect.getOwnPropertyDescriptor(prototype, name) as Record<string, unknown>;
    for (const kind in member) {
      const method = member[kind];
      // Functions that tools for tests have put in place have a prototype; methods have none.
      if (typeof method !== "function" || Object.hasOwn(method, "prototype")) continue;
      member[kind] = function (this: AnyThis, ...given: unknown[]) {
        const self = itself(this);
        const result = method.apply(self, given);
        return result === self ? this : result;
      };
    }
    Reflect.defineProperty(prototype, name, member);
  }
}

/**
 * The type that a class implements instead of an interface for apps. TypeScript cannot check a class against overloads whose results
 * depend on a type parameter, so only the names of members and the parameters of the last overload are compared. `Without`: members
 * that are not compared.
 */
export type Implemented<Interface, Without extends PropertyKey> = {
  [Name in Exclude<keyof Interface, Without>]: Interface[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => unknown
    : Interface[Name];
};
