// A store of ids: its generators, and the WebAssembly core once it is there.

import { Background } from "../common/background-read.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { within } from "../common/time.js";
import { CoreStore } from "../core/core-store.js";
import type { Parking } from "../device/page-events-and-tabs.js";
import type { PlatformRuntime } from "../runtime/platform.js";
import { run } from "../runtime/run-task.js";
import { checkOptions, countFor, senderOf } from "../store/check-options.js";
import { Host } from "../wire/http-request.js";
import type { SendRequest } from "../wire/transport.js";
import { ConfiguredStore, type StoreConventions } from "./configured-store.js";
import { HiLo } from "./hilo.js";
import type { HiLoStore } from "./id-store-types.js";
import { type NumberSource, sourceOf } from "./number-source.js";

/** How long `dispose` waits for leases under way, in milliseconds. */
const GOODBYE = 5_000;

export class IdStore<Conventions extends StoreConventions = StoreConventions>
  extends ConfiguredStore<Conventions>
  implements Omit<HiLoStore, "initialize" | typeof Symbol.asyncDispose>
{
  declare runtime: PlatformRuntime;
  #core: CoreStore | undefined;
  #hilos = new Map<string, HiLo>();
  #initialized = false;
  /** Resolves when everything is returned; `undefined`: the store is open. */
  #disposed: Promise<unknown> | undefined;
  /** Resolves when everything is returned and the listeners have been called; `undefined`: the store is open. */
  #farewell: Promise<void> | undefined;
  /** Whether the store must not make a core any more. */
  #over = false;
  #fetch: SendRequest | undefined;
  #forgetRuntime: (() => void) | undefined;
  #topology = new Background();
  #host: Host | undefined;
  #parking: Parking | undefined;
  #source: NumberSource | undefined;

  initialize(): this {
    if (this.#initialized) return this;
    checkOptions(this.urls, this.database, this.timeout, this.options);
    // Sessions can name a database later.
    if (!("openSession" in this)) this.assertDatabase();
    this.#source = sourceOf(this.options.source);
    this.#fetch = senderOf(this.runtime, this.options, this.options.fetch ?? this.conventions.customFetch);
    this.freezeConfiguration();
    this.#parking = this.#park(this.#source);
    this.#initialized = true;
    this.#forgetRuntime = this.runtime.onDeath((error) => {
      this.#core = undefined;
      for (const hilo of this.#hilos.values()) hilo.detach(error);
    });
    this.#attach();
    return this;
  }

  /** The store's numbers on the device, if the platform can park numbers. */
  #park(source: NumberSource): Parking | undefined {
    const { Parking } = this.runtime;
    if (!Parking || !this.database) return undefined;
    return new Parking(source, this, {
      hilos: this.#hilos,
      core: () => this.#core,
      host: () => this.#makeHost(source),
      attached: (tag) => this.#generator(tag).attach(this.#core as CoreStore),
      giveBack: () => this.giveBack(false).catch(() => {}),
      close: () => this.#close(),
    });
  }

  async ready(...tags: string[]): Promise<void> {
    await (this.database || tags.length > 0 ? this.core() : within(this.timeout, this.runtime.ready()));
    for (const tag of tags) this.hilo(tag).assertValid();
    await Promise.all([...this.#hilos.values()].map((hilo) => hilo.ready()));
  }

  hilo(tag: string): HiLo {
    this.assertInitialized();
    if (typeof tag !== "string") fail("InvalidTag", "the name of a counter is a string");
    return this.#generator(tag);
  }

  #generator(tag: string): HiLo {
    const key = idKey(tag);
    let hilo = this.#hilos.get(key);
    if (hilo === undefined) {
      hilo = new HiLo(this, tag);
      this.#hilos.set(key, hilo);
      if (!this.#disposed && this.#attach()) hilo.attach(this.#core as CoreStore);
    }
    return hilo;
  }

  dispose(): Promise<void> {
    // In workerd the first call may be another request's, which nothing may wait for.
    if (this.#disposed && this.runtime.isolated) return Promise.resolve();
    if (!this.#disposed) {
      this.events.emit("beforeDispose");
      this.#farewell = this.#dispose();
    }
    return this.#farewell as Promise<void>;
  }

  async #dispose(): Promise<void> {
    await this.end();
    const waiting = this.events.of("afterDispose").map((listener) => new Promise<void>(listener));
    await within(GOODBYE, Promise.allSettled(waiting));
    this.events.emit("executorsDisposed");
  }

  /** Disposes without calling listeners. */
  end(): Promise<unknown> {
    this.#disposed ??= Promise.all([this.#giveBack(), this.others("end")]);
    return this.#disposed;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")](): Promise<void> {
    await this.dispose();
  }

  /** The core of this store, for its sessions and generators. */
  async core(): Promise<CoreStore> {
    this.assertOpen();
    this.assertDatabase();
    if (!this.#attach()) {
      // A download may hang for minutes.
      await within(this.timeout, this.runtime.ready());
      if (this.#disposed) throw disposed();
      if (!this.#attach()) fail("Timeout", "the module did not load in time");
    }
    return this.#core as CoreStore;
  }

  /** Whether a core is still the one to use. A function of the object, which needs no wrapper: it is asked for each document. */
  isAlive = (core: CoreStore | undefined): boolean =>
    core !== undefined && core === this.#core && !this.#disposed;

  release({ waitUntil }: { waitUntil?: (promise: Promise<unknown>) => void } = {}): Promise<void> {
    const released = this.#release();
    waitUntil?.(released.catch(() => {}));
    return released;
  }

  async #release(): Promise<void> {
    if (!this.database) {
      await this.others("release");
      return;
    }
    await this.core();
    // The device learns which numbers are returned unused. Else it would take the server's next grant for one of the past.
    for (const hilo of this.#hilos.values()) await hilo.letGo(Number.POSITIVE_INFINITY);
    await Promise.all([this.giveBack(false), this.others("release")]);
  }

  /** What the app has chosen for a tag: how many numbers stay parked (-1: no choice), how many a range has (0: as demand wants). */
  chosen(tag: string): [keep: number, capacity: number] {
    const { keep, capacity } = this.options;
    return [countFor(keep, tag) ?? -1, countFor(capacity, tag) ?? this.#source?.capacity ?? 0];
  }

  /** Runs a lease when no sibling runs one. */
  turn(tag: string, lease: () => Promise<void>): Promise<void> {
    return this.#parking ? this.#parking.turn(tag, lease) : lease();
  }

  /** Sends at once what is to be returned; `refence`: what has no fence gets one first, and is returned under it. */
  async giveBack(refence = true): Promise<void> {
    const sent = [];
    const step = this.runtime.bound((core: CoreStore) => core.giveBack(refence));
    for (;;) {
      const task = this.#core && step(this.#core);
      if (!task) break;
      const done = run(this.runtime, task);
      done.catch(() => {});
      sent.push(done);
    }
    await Promise.all(sent);
    if (refence && sent.length > 0) await this.giveBack();
  }

  /** A response has named the incarnation of the database; `incarnation`: what is known of it now. */
  #incarnationChanged(incarnation: string, named: string): void {
    if (this.#core?.updateIncarnation(incarnation)) {
      this.emitLater("regression", { incarnation: named, unsaved: this.unsavedDocuments() });
    }
    this.#parking?.note(incarnation);
  }

  /** Nothing more is issued, and callers that wait are rejected; returns promises for the leases under way. */
  #close(): (Promise<unknown> | undefined)[] {
    if (this.#core) this.runtime.bound((core: CoreStore) => core.close())(this.#core);
    const error = disposed();
    return [...this.#hilos.values()].map((hilo) => hilo.close(error)?.catch(() => {}));
  }

  async #giveBack(): Promise<void> {
    try {
      this.#close();
      // A store that has leased nothing returns what earlier stores of the same kind have parked.
      const tags = (await this.#parking?.tags()) ?? [];
      if (tags.length > 0)
        await within(
          GOODBYE,
          this.runtime.ready().catch(() => {}),
        );
      if (!this.#core && (tags.length === 0 || !this.#attach())) return;
      // The numbers of leases under way are returned, too; a lease that hangs is given up.
      await within(GOODBYE, Promise.all(this.#close()));
      await this.#parking?.empty(tags);
      await this.giveBack();
    } finally {
      this.#over = true;
      this.#parking?.close();
      this.#forgetRuntime?.();
      for (const hilo of this.#hilos.values()) hilo.detach(disposed());
    }
  }

  /** Reads in the background which nodes the database has. If the read fails, the next response that hints at them repeats it. */
  #refreshTopology(): void {
    const core = this.#core;
    if (!core || this.#disposed) return;
    this.inBackground(this.#topology, () => run(this.runtime, core.topology(), () => false));
  }

  assertInitialized(): void {
    if (!this.#initialized) fail("InvalidOperation", "call initialize() on the store before using it");
  }

  assertOpen(): void {
    this.assertInitialized();
    if (this.#disposed) throw disposed();
  }

  /** Makes the core if there is an instance for it; returns whether there is a core. */
  #attach(): boolean {
    if (this.#core !== undefined) return true;
    const source = this.#source;
    if (this.#over || !source || !this.runtime.start() || !this.database) return false;
    const host = this.#makeHost(source);
    this.#host = host;
    const { runtime, database, timeout } = this;
    const { identityPartsSeparator: separator, disableTopologyUpdates } = this.conventions;
    const learnsNodes = !disableTopologyUpdates;
    const options = { database, separator, timeout, learnsNodes, isolated: runtime.isolated, source };
    this.#core = runtime.bound(() => new CoreStore(runtime.glue, host, options))();
    this.#reachedAt([]);
    this.#parking?.begin();
    for (const hilo of this.#hilos.values()) hilo.attach(this.#core);
    return true;
  }

  #makeHost(source: NumberSource): Host {
    const host: Host = new Host(this, {
      own: source.call,
      fetch: this.#fetch,
      refresh: () => this.#refreshTopology(),
      // Core and host must know the same incarnation: responses to a core that has died do not count.
      incarnationChanged: (...known) => host === this.#host && this.#incarnationChanged(...known),
      parking: this.#parking,
      nodes: (etag, urls) => {
        this.#core?.beginTopology(etag);
        this.#reachedAt(urls);
        this.emitLater("topologyUpdated", { topology: { etag, nodes: urls.map((url) => ({ url })) } });
      },
    });
    return host;
  }

  /** What can send requests early; `undefined`: there is a core, or no page. */
  get early(): Parking | undefined {
    return this.#core || this.#disposed ? undefined : this.#parking;
  }

  /** Sends the first lease of a tag if there is no core yet, and the app leaves its size to the server. */
  leaseEarly(tag: string): void {
    if (!this.chosen(tag)[1] && !this.#hilos.get(tag)?.isReserving) this.early?.leaseEarly(tag);
  }

  /** Tells the core the addresses of the server. The app's own are last: whatever the server says of itself, they worked once. */
  #reachedAt(urls: string[]): void {
    for (const url of [...urls.map((url) => this.nodeAt(url)), ...this.urls]) this.#core?.add(url);
  }
}

function disposed(): RavenEdgeError {
  return new RavenEdgeError("Disposed", "the store was disposed; nothing more is issued or sent");
}
