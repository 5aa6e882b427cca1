// A store of ids: configuration, events, and the WebAssembly core once it is there.

import { Background } from "../common/background-read.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { Events, STORE } from "../common/event-listeners.js";
import { idKey } from "../common/id-key.js";
import { TIMEOUT, within } from "../common/timeout.js";
import { run } from "../runtime/run-task.js";
import { IdConventions } from "../store/id-conventions.js";
import { addressOf, check, countFor, senderOf } from "../store/options.js";
import { Host } from "../wire/http-request.js";
import { HiLo } from "./hilo.js";
import { sourceOf } from "./number-source.js";

/** How long `dispose` waits for leases on their way, in milliseconds. */
const GOODBYE = 5_000;

export class IdStore {
  #runtime;
  #urls;
  #database;
  #options;
  #core;
  #hilos = new Map();
  #initialized = false;
  #disposed;
  #farewell;
  #over = false;
  #fetch;
  #forgetRuntime;
  #topology = new Background();
  #host;
  #parking;
  #source;

  events = new Events(undefined, STORE);

  constructor(runtime, urls, database, options, conventions = new IdConventions()) {
    this.conventions = conventions;
    this.#runtime = runtime;
    this.#urls = (Array.isArray(urls) ? urls : [urls]).map(String);
    this.#database = database;
    /** For people who read logs. */
    this.identifier = this.#urls.join(", ") + (database ? ` DB: ${database}` : "");
    this.#options = options ?? {};
    this.#forgetRuntime = runtime.onDeath((error) => {
      this.#core = undefined;
      for (const hilo of this.#hilos.values()) hilo.detach(error);
    });
  }

  get urls() {
    return this.#urls;
  }

  get database() {
    return this.#database;
  }

  /** For those who build on this class. */
  get runtime() {
    return this.#runtime;
  }

  get options() {
    return this.#options;
  }

  /** Time limit in milliseconds. */
  get timeout() {
    return this.#options.timeout ?? this.conventions.requestTimeout ?? TIMEOUT;
  }

  /** Checks the configuration and begins to load the module. */
  initialize() {
    if (this.#initialized) return this;
    check(this.#urls, this.#database, this.timeout, this.#options);
    if (!this.openSession) this.assertDatabase();
    this.#source = sourceOf(this.#options.source);
    this.#fetch = senderOf(this.#runtime, this.#options, this.#options.fetch ?? this.conventions.customFetch);
    this.conventions.freeze(this);
    this.#parking = this.#park();
    this.#initialized = true;
    this.#attach();
    return this;
  }

  /** What the store has of its device, where there is one. */
  #park() {
    const { Parking } = this.#runtime;
    if (!Parking || !this.#database) return undefined;
    // Names without case, because the server's are.
    const database = idKey(this.#database);
    const server = addressOf(this.#urls[0]).href;
    const { name, id } = this.#source;
    return new Parking([name, server, database, this.conventions.identityPartsSeparator, ...id], {
      hilos: this.#hilos,
      core: () => this.#core,
      attached: (tag) => this.#attached(this.#generator(tag)),
      giveBackParting: () => this.#host.whileParting(() => this.giveBack(false).catch(() => {})),
      close: () => this.#close(),
      back: () => this.#runtime.back(),
      trouble: (error) => this.#emit("storage", { error }),
    });
  }

  /**
   * Resolves when ids can be had without waiting for the module, and some of what is parked of these tags, and of those that were
   * used before, is at hand.
   */
  async ready(...tags) {
    await (this.#database || tags.length > 0 ? this.core() : within(this.timeout, this.#runtime.ready()));
    for (const tag of tags) this.hilo(tag).assertValid();
    await Promise.all([...this.#hilos.values()].map((hilo) => hilo.ready()));
  }

  hilo(tag) {
    this.assertInitialized();
    if (typeof tag !== "string") fail("InvalidTag", "the name of a counter is a string");
    return this.#generator(tag);
  }

  #generator(tag) {
    const key = idKey(tag);
    let hilo = this.#hilos.get(key);
    if (hilo === undefined) {
      hilo = new HiLo(this, tag);
      this.#hilos.set(key, hilo);
      if (!this.#disposed && this.#attach()) this.#attached(hilo);
    }
    return hilo;
  }

  #attached(hilo) {
    if (!hilo.attached) hilo.attach(this.#core);
  }

  on(event, listener) {
    this.events.on(event, listener);
    return () => this.events.off(event, listener);
  }

  once(event, listener) {
    this.events.once(event, listener);
    return this;
  }

  removeListener(event, listener) {
    this.events.off(event, listener);
    return this;
  }

  /** Gives back what is unused; afterwards the store refuses work. */
  dispose() {
    // On workerd the first call may be another request's, for which nobody waits.
    if (this.#disposed && this.#runtime.isolated) return Promise.resolve();
    if (!this.#disposed) {
      this.events.emit("beforeDispose");
      this.#farewell = this.#dispose();
    }
    return this.#farewell;
  }

  async #dispose() {
    await this.end();
    const waiting = this.events.of("afterDispose").map((listener) => new Promise(listener));
    await within(GOODBYE, Promise.allSettled(waiting));
    this.events.emit("executorsDisposed");
  }

  /** Disposes without a word to listeners. */
  end() {
    this.#disposed ??= Promise.all([this.#giveBack(), this.others("end")]);
    return this.#disposed;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.dispose();
  }

  /** The core of this store, for its sessions and generators. */
  async core() {
    this.assertOpen();
    this.assertDatabase();
    if (!this.#attach()) {
      // A download may hang for minutes.
      await within(this.timeout, this.#runtime.ready());
      if (this.#disposed) throw gone();
      if (!this.#attach()) fail("Timeout", "the module did not load in time");
    }
    return this.#core;
  }

  /** Whether a core that was had before is still the one to use. */
  isAlive(core) {
    return core !== undefined && core === this.#core && !this.#disposed;
  }

  /** Gives back what this instance holds; it stays usable. */
  release({ waitUntil } = {}) {
    const released = this.#release();
    waitUntil?.(released.catch(() => {}));
    return released;
  }

  /** What others profit from goes on when the request that it began in is over, where the app sees to that. */
  waitUntil(promise) {
    const quiet = promise.catch(() => {});
    this.#options.waitUntil?.(quiet);
  }

  async #release() {
    if (!this.#database) return this.others("release");
    await this.core();
    // The device hears what goes back unused, or it would take its next grant for a server that went back.
    for (const hilo of this.#hilos.values()) await hilo.letGo(Number.POSITIVE_INFINITY);
    await Promise.all([this.giveBack(false), this.others("release")]);
  }

  /** What the app has chosen for a tag: how many numbers are kept parked (-1: nothing is said), how many a range has (0: as demand wants). */
  chosen(tag) {
    const { keep, capacity } = this.#options;
    return [countFor(keep, tag) ?? -1, countFor(capacity, tag) ?? this.#source.capacity ?? 0];
  }

  /** Runs a lease when no sibling is at it. */
  turn(tag, lease) {
    return this.#parking ? this.#parking.turn(tag, lease) : lease();
  }

  /** Sends what is to go back, at once; `refence`: what has no fence gets one first. */
  async giveBack(refence = true) {
    const sent = [];
    const step = this.#runtime.bound((core) => core.giveBack(refence));
    for (;;) {
      const task = this.#core && step(this.#core);
      if (!task) break;
      const done = run(this.#runtime, task);
      done.catch(() => {});
      sent.push(done);
    }
    await Promise.all(sent);
    // What has a fence now goes back under it.
    if (refence && sent.length > 0) await this.giveBack();
  }

  #heard(incarnation) {
    if (this.#core?.heard(incarnation)) {
      this.#emit("regression", { incarnation, unsaved: this.unsavedDocuments() });
    }
    this.#parking?.note(incarnation);
  }

  /** Nothing more is issued, and who waits is refused; gives the leases on their way. */
  #close() {
    if (this.#core) this.#runtime.bound((core) => core.close())(this.#core);
    const error = gone();
    return [...this.#hilos.values()].map((hilo) => hilo.close(error)?.catch(() => {}));
  }

  async #giveBack() {
    try {
      this.#close();
      // A store that never leased finds what others of its kind have parked.
      const tags = (await this.#parking?.tags()) ?? [];
      const ready = () => this.#runtime.ready().catch(() => {});
      if (tags.length > 0) await within(GOODBYE, ready());
      if (this.#core || (tags.length > 0 && this.#attach())) await this.#giveBackAll(tags);
    } finally {
      this.#over = true;
      this.#parking?.close();
      this.#forgetRuntime();
      for (const hilo of this.#hilos.values()) hilo.detach(gone());
    }
  }

  async #giveBackAll(tags) {
    // A lease on its way is given back, too; one that hangs is not waited for.
    await within(GOODBYE, Promise.all(this.#close()));
    await this.#parking?.empty(tags);
    await this.giveBack();
  }

  /** Reads which nodes there are, in the background; the next answer's hint makes up for a read that fails. */
  #refreshTopology() {
    const core = this.#core;
    if (!core || this.#disposed) return;
    this.inBackground(this.#topology, () => run(this.#runtime, core.topology(), () => false));
  }

  /** Reads what later requests profit from, and no sooner again than it can have ended. */
  inBackground(background, read) {
    const reading = background.start(this.timeout, read);
    if (reading) this.waitUntil(reading);
  }

  assertInitialized() {
    if (!this.#initialized) fail("InvalidOperation", "call initialize() on the store before using it");
  }

  assertOpen() {
    this.assertInitialized();
    if (this.#disposed) throw gone();
  }

  assertDatabase() {
    if (!this.#database)
      fail(
        "InvalidOperation",
        "no database is named: name one for the store, openSession() or forDatabase()",
      );
  }

  /** Makes the core if there is an instance for it. */
  #attach() {
    if (this.#core !== undefined) return true;
    if (this.#over || !this.#runtime.start() || !this.#database) return false;
    const { isolated } = this.#runtime;
    const { identityPartsSeparator, disableTopologyUpdates } = this.conventions;
    const { headers } = this.#options;
    const { timeout } = this;
    const { kind, detail, scoped, call } = this.#source;
    const host = new Host({
      own: call,
      cache: this.cache,
      settings: this.settings,
      database: this.#database,
      headers,
      fetch: this.#fetch,
      ownFetch: this.#options.fetch,
      isolated,
      emit: (event, detail) => this.#emit(event, detail),
      topology: !disableTopologyUpdates,
      refresh: () => this.#refreshTopology(),
      // Core and host have to know the same one: what an instance that died had asked for is not heard.
      heard: (incarnation) => host === this.#host && this.#heard(incarnation),
      page: this.#parking?.page,
      move: (...move) => this.#parking.move(...move),
      nodes: (etag, urls) => {
        this.#core?.beginTopology(etag);
        this.#reachedAt(urls);
        this.#emit("topologyUpdated", { topology: { etag, nodes: urls.map((url) => ({ url })) } });
      },
    });
    this.#host = host;
    const make = this.#runtime.bound(
      () =>
        new this.#runtime.glue.Store(
          this.#host,
          this.#database,
          identityPartsSeparator,
          timeout,
          !disableTopologyUpdates,
          isolated,
          kind,
          detail,
          scoped,
        ),
    );
    this.#core = make();
    this.#reachedAt([]);
    this.#parking?.begin();
    for (const hilo of this.#hilos.values()) hilo.attach(this.#core);
    return true;
  }

  /** The app's own addresses come last: whatever the server knows of itself, they worked once. */
  #reachedAt(urls) {
    for (const url of [...urls, ...this.#urls]) this.#core?.add(url);
  }

  /** What a store of more than ids adds: who else listens, what is not saved, which stores go with this one. */
  listenersOf(event) {
    return this.events.of(event);
  }

  unsavedDocuments() {
    return [];
  }

  async others() {}

  #emit(event, detail) {
    for (const listener of this.listenersOf(event)) {
      // A listener's exception is the app's, and must not unwind through WebAssembly.
      queueMicrotask(() => listener(detail));
    }
  }
}

function gone() {
  return new RavenEdgeError("Disposed", "the store was disposed; nothing more is issued or sent");
}
