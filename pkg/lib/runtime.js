// Starts the WebAssembly module once, on first use, and replaces an instance that died.

import { RavenEdgeError } from "./error.js";

export function dead(cause) {
  return new RavenEdgeError(
    "Dead",
    "the WebAssembly instance failed; open sessions are lost, numbers in memory are burnt",
    { cause },
  );
}

function unloaded(cause) {
  const reason = cause?.message ?? cause;
  throw new RavenEdgeError("LoadFailed", `the module of raven-edge cannot be loaded: ${reason}`, { cause });
}

export class Runtime {
  #glue;
  #load;
  #starting;
  #loadAgain;
  /** The instance in use, by its number; 0: there is none. */
  #instance = 0;
  #count = 0;
  #pending = new Set();
  #watchers = new Set();

  /** `glue` is the module's; `load` gives the module: at once (Node, workerd), or as a promise (browsers). */
  constructor(glue, load, { isolated = false, connect, node, Parking } = {}) {
    this.#glue = glue;
    this.#load = load;
    /** On workerd nothing may wait for another request or outlive its own. */
    this.isolated = isolated;
    /** Makes a `fetch` that shows a client certificate, where the platform can. */
    this.connect = connect;
    /** What streams are on Node besides: `lib/node-streams.js`. */
    this.node = node;
    /** What a store has of its device, where there is one: a place to park numbers, a page that goes and comes. */
    this.Parking = Parking;
  }

  /** Stores of a class, in this runtime. */
  of(Base) {
    const runtime = this;
    return class extends Base {
      constructor(urls, database, options) {
        super(runtime, urls, database, options);
      }
    };
  }

  /** The module's own classes and functions. */
  get glue() {
    return this.#glue;
  }

  /** Whether there is an instance, started now if that needs no waiting. */
  start() {
    if (this.#instance > 0) return true;
    // Several entries of the package in one page share the instance: whichever comes first starts it, or starts it anew.
    const isAlive = this.#glue.isAlive();
    if (isAlive === false) this.#glue.__wbg_reset_state();
    if (isAlive !== undefined) return this.#started();
    if (this.#starting) return false;
    const module = this.#load();
    if (module instanceof Promise) {
      this.#starting = this.#startLater(module);
      this.#starting.catch(() => {});
      return false;
    }
    this.#enter(module);
    return this.#started();
  }

  async #startLater(loading) {
    try {
      const module = await this.#loaded(loading).catch(unloaded);
      this.#enter(module);
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
    this.start();
  }

  #enter(module) {
    try {
      this.#glue.initSync({ module });
    } catch (cause) {
      unloaded(cause);
    }
  }

  async #loaded(module) {
    for (;;) {
      const again = new Promise((resolve) => {
        this.#loadAgain = resolve;
      });
      const loaded = await Promise.race([module, again]);
      if (loaded) return loaded;
      module = this.#load();
    }
  }

  /** The page is back: a load that it was put away with may never end. */
  back() {
    this.#loadAgain?.();
  }

  #started() {
    if (this.#count === 0) this.#glue.onDeath((cause) => this.#die(cause));
    this.#instance = ++this.#count;
    return true;
  }

  /** Waits for the instance. */
  async ready() {
    if (!this.start()) await this.#starting;
  }

  /** Calls `watcher(error)`, synchronously, when the instance dies; gives the function that ends it. */
  onDeath(watcher) {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #die(cause) {
    this.#instance = 0;
    const error = dead(cause);
    for (const watcher of this.#watchers) watcher(error);
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const reject of pending) reject(error);
  }

  /** The entry as it is for the instance of now: a trap is an error with a name, a later instance is never entered. */
  bound(entry = undefined) {
    const instance = this.#instance;
    const alive = () => instance > 0 && instance === this.#instance;
    const enter = (...args) => {
      if (!alive()) throw dead();
      try {
        return entry(...args);
      } catch (cause) {
        throw alive() ? cause : dead(cause);
      }
    };
    return Object.assign(enter, { alive });
  }

  /** The promise, but rejected at once when the instance dies: nobody waits for what can no longer be used. */
  whileAlive(promise) {
    // On workerd a request must not settle another one's promise, and hears of it when its own answer comes.
    if (this.isolated) return promise;
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      promise.then(resolve, reject).finally(() => this.#pending.delete(reject));
    });
  }
}
