// Starts the WebAssembly module once, on first use, and replaces an instance that died.
//
// `Runtime` is for Workers, where the module is there at once, and where no request may settle a promise of another request.
// `SharedRuntime`, for pages and Node, can load a module that is not there at once, and rejects promises that wait for a dead instance.

import { RavenEdgeError } from "../common/error.js";
import type { TracedWork } from "../tracing/trace-types.js";
import type { Entry, Glue } from "./core.js";

/** A compiled module, or its bytes. */
export type Module = WebAssembly.Module | BufferSource;

/** Gives the module, synchronously (Node, workerd) or as a promise (browsers). */
export type Load = () => Module | Promise<Module>;

type StoreClass<Store, Options> = new (urls: string | string[], database: string, options?: Options) => Store;

/** The error of a call into an instance that has died. */
export function dead(cause?: unknown): RavenEdgeError {
  return new RavenEdgeError(
    "Dead",
    "the WebAssembly instance failed; open sessions are lost, and the numbers in memory are not used",
    { cause },
  );
}

export function unloaded(cause: unknown): never {
  const reason = (cause as Error | undefined)?.message ?? cause;
  throw new RavenEdgeError("LoadFailed", `the module of raven-edge cannot be loaded: ${reason}`, { cause });
}

export class Runtime {
  /** The module's own classes and functions. */
  readonly glue: Glue;
  #load: Load;
  /** The number of the instance in use; 0: there is none. */
  #instance = 0;
  #count = 0;
  #watchers = new Set<(error: RavenEdgeError) => void>();
  /** The traced work whose task is being called: requests that the task asks for belong to this work. */
  declare work: TracedWork | undefined;
  /** Whether the requests that this task asks for bypass the cache of responses. */
  declare isUncached: boolean | undefined;
  /** Refuses addresses to which the platform's `fetch` never sends. */
  declare readonly assertSendable: ((url: string) => void) | undefined;

  /** `glue` belongs to the module that `load` gives; the members of `platform` become members of the runtime. */
  constructor(glue: Glue, load: Load, platform: object = {}) {
    this.glue = glue;
    this.#load = load;
    Object.assign(this, platform);
  }

  /** Whether, as in Workers, the work of a request must neither wait for another request nor outlive its own. */
  get isolated(): boolean {
    return true;
  }

  /** The class of stores that run in this runtime. Its constructor takes the arguments of `Base` without the runtime. */
  of<Store extends object, Options>(
    Base: new (runtime: Runtime, urls: string | string[], database: string, options?: Options) => Store,
  ): StoreClass<Store, Options> {
    const runtime = this;
    const Extendable = Base as new (...args: unknown[]) => object;
    const made: StoreClass<object, Options> = class extends Extendable {
      constructor(urls: string | string[], database: string, options?: Options) {
        super(runtime, urls, database, options);
      }
    };
    return made as StoreClass<Store, Options>;
  }

  /** Starts an instance if there is none and this needs no waiting; returns whether there is one now. */
  start(): boolean {
    if (this.#instance > 0) return true;
    // Several entries of the package share the instance. `undefined`: none of them has started it yet; `false`: it is dead.
    const isAlive = this.glue.isAlive();
    if (isAlive === false) this.glue.__wbg_reset_state();
    if (isAlive === undefined && !this.instantiate(this.#load)) return false;
    if (this.#count === 0) this.glue.onDeath((cause) => this.die(dead(cause)));
    this.#instance = ++this.#count;
    return true;
  }

  /** Makes an instance of the module; returns whether there is one now. */
  protected instantiate(load: Load): boolean {
    const module = load() as Module;
    try {
      this.glue.initSync({ module });
    } catch (cause) {
      unloaded(cause);
    }
    return true;
  }

  /** Called when a page was restored from the back/forward cache. */
  back(): void {}

  /** Resolves when there is an instance. */
  async ready(): Promise<void> {
    this.start();
  }

  /** Calls `watcher(error)`, synchronously, when the instance dies; returns the function that removes the watcher. */
  onDeath(watcher: (error: RavenEdgeError) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** The instance has died. */
  protected die(error: RavenEdgeError): void {
    this.#instance = 0;
    for (const watcher of this.#watchers) watcher(error);
  }

  /** A function bound to the instance in use: a trap becomes an error of code `Dead`, and a later instance is never entered. */
  bound<Arguments extends unknown[], Result>(
    entry: (...args: Arguments) => Result,
  ): Entry<Arguments, Result> {
    const instance = this.#instance;
    const alive = () => instance > 0 && instance === this.#instance;
    const enter = (...args: Arguments): Result => {
      if (!alive()) throw dead();
      try {
        return entry(...args);
      } catch (cause) {
        throw alive() ? cause : dead(cause);
      }
    };
    return Object.assign(enter, { alive });
  }

  /**
   * A promise with the same result, which is also rejected when the instance dies. Not in a Worker: there a request must not settle the
   * promise of another one, and notices the death when its own response comes.
   */
  whileAlive<Value>(promise: Promise<Value>): Promise<Value> {
    return promise;
  }
}
