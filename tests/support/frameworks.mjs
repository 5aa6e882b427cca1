// How frameworks modify an app's objects, as far as it matters to a session: small stand-ins, not the frameworks.

/** Vue's `reactive`: one proxy per object, created on first access; `changed` is called for every write. */
export function reactive(target, changed = () => {}, known = new WeakMap()) {
  if (typeof target !== "object" || target === null || target instanceof Date) return target;
  const made = known.get(target);
  if (made) return made;
  const proxy = new Proxy(target, {
    get: (object, key, receiver) => {
      if (key === "__v_raw") return object;
      return reactive(Reflect.get(object, key, receiver), changed, known);
    },
    set: (object, key, value, receiver) => {
      const raw = value?.__v_raw ?? value;
      const done = Reflect.set(object, key, raw, receiver?.__v_raw === object ? object : receiver);
      changed(key);
      return done;
    },
    deleteProperty: (object, key) => {
      const done = Reflect.deleteProperty(object, key);
      changed(key);
      return done;
    },
  });
  known.set(target, proxy);
  return proxy;
}

/** Svelte's `$state`: a proxy with its own signals; the original object never changes. */
export function state(source) {
  if (typeof source !== "object" || source === null || source instanceof Date) return source;
  const signals = new Map();
  const target = Array.isArray(source) ? [] : {};
  const put = (key, value) => {
    signals.set(key, state(value));
    // An array has a length, which a proxy must not hide.
    Reflect.set(target, key, signals.get(key));
    return true;
  };
  for (const [key, value] of Object.entries(source)) put(key, value);
  return new Proxy(target, {
    get: (object, key) => (signals.has(key) ? signals.get(key) : Reflect.get(object, key)),
    set: (object, key, value) => (key === "length" ? Reflect.set(object, key, value) : put(key, value)),
    has: (object, key) => signals.has(key) || key in object,
    deleteProperty: (object, key) => {
      signals.delete(key);
      return Reflect.deleteProperty(object, key);
    },
  });
}

/** MobX's `makeObservable`: accessors on the instance, with the values in a hidden object. */
export function observable(target) {
  const values = { ...target };
  Object.defineProperty(target, Symbol("mobx administration"), { value: values });
  for (const key of Object.keys(values)) {
    Object.defineProperty(target, key, {
      enumerable: true,
      configurable: true,
      get: () => values[key],
      set: (value) => {
        values[key] = value;
      },
    });
  }
  return target;
}

/** The result of Immer's `produce`: a new object, deeply frozen. */
export function produce(base, recipe) {
  const draft = structuredClone(base);
  recipe(draft);
  return freeze(draft);
}

function freeze(value) {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

/** Svelte's `readable`: `start(set)` is called for the first subscriber, what it returns after the last one. */
export const svelte = {
  readable: (value, start) => {
    const subscribers = new Set();
    let stop;
    const set = (next) => {
      value = next;
      for (const subscriber of subscribers) subscriber(value);
    };
    return {
      subscribe: (subscriber) => {
        subscribers.add(subscriber);
        if (subscribers.size === 1) stop = start(set);
        subscriber(value);
        return () => {
          subscribers.delete(subscriber);
          if (subscribers.size === 0) stop();
        };
      },
    };
  },
};

/** Vue's `shallowRef` and `onScopeDispose`; `end()` disposes of the scope. */
export function vue() {
  const ends = [];
  return {
    shallowRef: (value) => ({ value }),
    onScopeDispose: (end) => ends.push(end),
    end: () => {
      for (const end of ends) end();
    },
  };
}
