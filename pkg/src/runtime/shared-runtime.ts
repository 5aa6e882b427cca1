// The runtime of pages and of Node: the module may be loaded later, and all callers wait for the same load.

import type { RavenEdgeError } from "../common/error.js";
import { type Load, Runtime, unloaded } from "./runtime.js";

export class SharedRuntime extends Runtime {
  #starting: Promise<void> | undefined;
  #loadAgain: (() => void) | undefined;
  /** How to reject the promises of `whileAlive` that are pending. */
  #pending = new Set<(error: RavenEdgeError) => void>();

  override get isolated(): boolean {
    return false;
  }

  /** Begins to load the module if it is not there at once. */
  protected override instantiate(load: Load): boolean {
    if (this.#starting) return false;
    const module = load();
    if (!("then" in module)) return super.instantiate(() => module);
    this.#starting = this.#startLater(module, load);
    this.#starting.catch(() => {});
    return false;
  }

  async #startLater(loading: ReturnType<Load>, load: Load): Promise<void> {
    try {
      const module = await this.#loaded(loading, load).catch(unloaded);
      super.instantiate(() => module);
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
    this.start();
  }

  async #loaded(module: ReturnType<Load>, load: Load): Promise<Awaited<ReturnType<Load>>> {
    for (;;) {
      const again = new Promise<undefined>((resolve) => {
        this.#loadAgain = () => resolve(undefined);
      });
      const loaded = await Promise.race([module, again]);
      if (loaded) return loaded;
      module = load();
    }
  }

  /** A load that was under way when the page was put into the cache may never end: begins another one. */
  override back(): void {
    this.#loadAgain?.();
  }

  override async ready(): Promise<void> {
    if (!this.start()) await this.#starting;
  }

  protected override die(error: RavenEdgeError): void {
    super.die(error);
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const reject of pending) reject(error);
  }

  override whileAlive<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      promise.then(resolve, reject).finally(() => this.#pending.delete(reject));
    });
  }
}
