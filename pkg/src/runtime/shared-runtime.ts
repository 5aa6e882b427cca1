// The runtime of pages and of Node: the module may arrive later, and callers wait for one another.

import { SOURCE_SERVER } from "../../gen/protocol.js";
import type { RavenEdgeError } from "../common/error.js";
import type { Glue } from "./core.js";
import { type Load, type Platform, Runtime, unloaded } from "./runtime.js";

export class SharedRuntime extends Runtime {
  #starting: Promise<void> | undefined;
  #loadAgain: (() => void) | undefined;
  /** How to reject the promises that wait for the instance. */
  #pending = new Set<(error: RavenEdgeError) => void>();
  #makeWhole: (() => Runtime) | undefined;
  #whole: Runtime | undefined;

  /** `whole` makes the runtime whose module also has the sources beside the server's own leases, where the module here has none. */
  constructor(glue: Glue, load: Load, platform: Platform, whole?: () => Runtime) {
    super(glue, load, { isolated: false, ...platform });
    this.#makeWhole = whole;
  }

  override having(source: number): Runtime {
    if (source === SOURCE_SERVER) return this;
    this.#whole ??= this.#makeWhole?.();
    return this.#whole ?? this;
  }

  protected override enter(load: Load): boolean {
    if (this.#starting) return false;
    const module = load();
    if (!(module instanceof Promise)) return super.enter(() => module);
    this.#starting = this.#startLater(module, load);
    this.#starting.catch(() => {});
    return false;
  }

  async #startLater(loading: ReturnType<Load>, load: Load): Promise<void> {
    try {
      const module = await this.#loaded(loading, load).catch(unloaded);
      super.enter(() => module);
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
    if (this.isolated) return promise;
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      promise.then(resolve, reject).finally(() => this.#pending.delete(reject));
    });
  }
}
