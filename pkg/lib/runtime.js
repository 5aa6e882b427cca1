// Starts the WebAssembly module once, on first use, and replaces an instance that died.

import init, { __wbg_reset_state as reset, initSync, version } from "../gen/raven_edge.js";
import { onDeath } from "../gate.js";
import { RavenEdgeError } from "./error.js";

const DEAD = "the WebAssembly instance failed and was given up; numbers it held in memory are burnt, open sessions are lost";

export class Runtime {
  #load;
  #starting;
  #alive = false;
  #died = false;
  #pending = new Set();
  #watchers = new Set();
  /** Counts instances; objects of an older one are never used again. */
  generation = 0;

  /** `load` gives the module: at once (Node, workerd), or as a promise (browsers). */
  constructor(load, { isolated = false, connect } = {}) {
    this.#load = load;
    /** On workerd nothing may wait for another request or outlive its own. */
    this.isolated = isolated;
    /** Makes a `fetch` that shows a client certificate, where the platform can. */
    this.connect = connect;
  }

  /** Whether there is an instance, started now if that needs no waiting. */
  start() {
    if (this.#alive) return true;
    if (this.#died) return this.#restart();
    if (this.#starting) return false;
    const module = this.#load();
    if (module instanceof Promise) {
      this.#starting = module.then(
        async (loaded) => {
          await init({ module_or_path: loaded });
          this.#started();
        },
      ).catch((cause) => {
        this.#starting = undefined;
        throw new RavenEdgeError("LoadFailed", `the WebAssembly module of raven-edge cannot be loaded: ${cause.message ?? cause}`, { cause });
      });
      this.#starting.catch(() => {});
      return false;
    }
    initSync({ module });
    return this.#started();
  }

  /** Waits for the instance. */
  async ready() {
    if (!this.start()) await this.#starting;
  }

  get version() {
    return this.#alive ? version() : undefined;
  }

  #started() {
    onDeath(() => this.#die());
    this.generation++;
    this.#alive = true;
    return true;
  }

  #restart() {
    reset();
    this.#died = false;
    this.generation++;
    this.#alive = true;
    return true;
  }

  /** Calls `watcher`, synchronously, when the instance dies. */
  onDeath(watcher) {
    this.#watchers.add(watcher);
  }

  #die() {
    this.#alive = false;
    this.#died = true;
    for (const watcher of this.#watchers) watcher();
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const reject of pending) reject(new RavenEdgeError("Dead", DEAD));
  }

  /** Enters WebAssembly; a trap is an error with a name. */
  enter(entry) {
    try {
      return entry();
    } catch (cause) {
      if (this.#alive) throw cause;
      throw new RavenEdgeError("Dead", DEAD, { cause });
    }
  }

  /** Enters WebAssembly for a promise, which is rejected when the instance dies before it settles. */
  settle(entry) {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      this.enter(entry)
        .then(resolve, reject)
        .finally(() => this.#pending.delete(reject));
    });
  }
}
