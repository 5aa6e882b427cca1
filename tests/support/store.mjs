// Stores of the package.
import { DocumentStore } from "../../pkg/lib/entries/node.js";
import { after } from "./cleanup.mjs";
import { proxy } from "./proxy.mjs";
import { database } from "./server.mjs";

export { DocumentStore };

/** The two functions below for a class of stores. */
export function storesOf(DocumentStore) {
  const open = (t, urls, name, { topology = false, prepare, ...options } = {}) => {
    const store = new DocumentStore(urls, name, options);
    store.conventions.disableTopologyUpdates = !topology;
    prepare?.(store);
    store.initialize();
    after(t, () => store.dispose());
    return store;
  };
  const prepared = async (t, server, options) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name, options);
    return { name, wire, store, session: store.openSession() };
  };
  return { open, prepared };
}

const stores = storesOf(DocumentStore);

/**
 * A store that is disposed after the test. It does not update its topology: a server behind a proxy would report its
 * own URL, and requests would bypass the proxy. `prepare` makes changes that are not possible later.
 */
export const open = stores.open;

/** A new database, a proxy in front of it, and a store and session that use the proxy. */
export const prepared = stores.prepared;

/** Records the events of a store. */
export function events(store, name) {
  const seen = [];
  const waiting = [];
  store.on(name, (event) => {
    const waiter = waiting.shift();
    if (waiter) waiter(event);
    else seen.push(event);
  });
  return {
    seen,
    /** The next event, within a timeout. */
    next: (limit = 30_000) => {
      if (seen.length > 0) return Promise.resolve(seen.shift());
      return within(limit, new Promise((resolve) => waiting.push(resolve)), `an event "${name}"`);
    },
  };
}

/** The promise's result, or an error after the timeout. */
export function within(limit, promise, what = "a response") {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${limit} ms`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The error of a rejected promise; fails if the promise is fulfilled. */
export async function failure(promise) {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`);
  return outcome.error;
}

/** Waits, turn by turn of the event loop, until a condition holds. */
export async function until(holds, what, limit = 30_000) {
  const end = performance.now() + limit;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`${what}: not within ${limit} ms`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
