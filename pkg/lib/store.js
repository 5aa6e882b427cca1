// The store: configuration, events, and the WebAssembly core once it is there.

import { Store } from "../gen/raven_edge.js";
import { DocumentConventions } from "./conventions.js";
import { fail, RavenEdgeError } from "./error.js";
import { HiLo } from "./hilo.js";
import { Host } from "./host.js";
import { run } from "./run.js";
import { DocumentSession } from "./session.js";

/** Time limit of a request, and of a caller who waits for an id, in milliseconds. */
const TIMEOUT = 15_000;

/** How long `dispose` waits for leases on their way, in milliseconds. */
const GOODBYE = 5_000;

export class StoreBase {
  #runtime;
  #urls;
  #database;
  #options;
  #core;
  #hilos = new Map();
  #listeners = new Map();
  #initialized = false;
  #disposed;
  #fetch;
  #forgetRuntime;
  #refreshed = Number.NEGATIVE_INFINITY;

  conventions = new DocumentConventions();

  constructor(runtime, urls, database, options = {}) {
    this.#runtime = runtime;
    this.#urls = (Array.isArray(urls) ? urls : [urls]).map(String);
    this.#database = database;
    this.#options = options;
    this.#forgetRuntime = runtime.onDeath(() => {
      this.#core = undefined;
      for (const hilo of this.#hilos.values()) hilo.detach();
    });
  }

  get urls() {
    return this.#urls;
  }

  get database() {
    return this.#database;
  }

  /** Time limit in milliseconds. */
  get timeout() {
    return this.#options.timeout ?? TIMEOUT;
  }

  /** Checks the configuration and begins to load the module. */
  initialize() {
    if (this.#initialized) return this;
    const { timeout } = this;
    const { certificate, fetch } = this.#options;
    if (typeof this.#database !== "string" || this.#database === "")
      fail("InvalidArgument", "the database name is missing");
    if (!(timeout > 0 && timeout <= 2 ** 31 - 1))
      fail("InvalidArgument", "timeout is a number of milliseconds above 0");
    if (this.#urls.length === 0) fail("InvalidArgument", "no server address was given");
    for (const url of this.#urls) {
      if (!isAddress(url)) {
        fail(
          "InvalidArgument",
          `the server address "${url}" is not a URL${url.startsWith("/") ? "; outside a page it must be absolute" : ""}`,
        );
      }
    }
    if (certificate && !fetch) {
      this.#fetch = this.#runtime.connect?.(this.#options);
      if (!this.#fetch) {
        fail(
          "Unsupported",
          "client certificates cannot be read here; give the store a `fetch` that presents one, such as a Worker's mTLS binding: fetch: env.RAVEN.fetch.bind(env.RAVEN)",
        );
      }
    } else {
      this.#fetch = fetch;
    }
    this.conventions.freeze();
    this.#initialized = true;
    this.#attach();
    return this;
  }

  /** Resolves when ids can be had without waiting for the module. */
  async ready() {
    await this.core();
  }

  hilo(tag) {
    this.#assertInitialized();
    const key = String(tag).toLowerCase();
    let hilo = this.#hilos.get(key);
    if (hilo === undefined) {
      hilo = new HiLo(this, this.#runtime, String(tag));
      this.#hilos.set(key, hilo);
      if (this.#attach() && !this.#disposed) hilo.attach(this.#core);
    }
    return hilo;
  }

  openSession(options) {
    this.#assertInitialized();
    if (this.#disposed) throw gone();
    const database = typeof options === "string" ? options : options?.database;
    if (database && database !== this.#database)
      fail("Unsupported", "sessions of another database need a store of their own");
    return new DocumentSession(this, this.#runtime);
  }

  on(event, listener) {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Gives back what is unused; afterwards the store refuses work. */
  dispose() {
    this.#disposed ??= this.#giveBack();
    return this.#disposed;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.dispose();
  }

  /** The core of this store, for its sessions and generators. */
  async core() {
    this.#assertInitialized();
    if (this.#disposed) throw gone();
    if (!this.#attach()) {
      await this.#runtime.ready();
      if (this.#disposed) throw gone();
      this.#attach();
    }
    return this.#core;
  }

  async #giveBack() {
    try {
      if (this.#core) await this.#giveBackAll(this.#core);
    } finally {
      this.#forgetRuntime();
      for (const hilo of this.#hilos.values()) hilo.detach();
    }
  }

  async #giveBackAll(core) {
    const step = this.#runtime.bound((name) => core[name]());
    step("close");
    // A lease on its way is given back, too; one that hangs is not waited for.
    const error = gone();
    const leases = [...this.#hilos.values()].map((hilo) => hilo.close(error)?.catch(() => {}));
    await within(GOODBYE, Promise.all(leases));
    for (let task = step("giveBack"); task; task = step("giveBack")) await run(this.#runtime, task);
  }

  /** Reads which nodes there are, in the background; the next answer's hint makes up for a read that fails. */
  #refreshTopology() {
    const now = performance.now();
    // On workerd a read may end with its request: the mark is a time, not a flag.
    if (now - this.#refreshed < this.timeout || this.#disposed) return;
    this.#refreshed = now;
    const core = this.#core;
    const done = () => {
      this.#refreshed = Number.NEGATIVE_INFINITY;
    };
    if (core) run(this.#runtime, core.topology(), () => false).then(done, done);
  }

  #assertInitialized() {
    if (!this.#initialized) fail("InvalidArgument", "call initialize() on the store before using it");
  }

  /** Makes the core if there is an instance for it. */
  #attach() {
    if (this.#core !== undefined) return true;
    if (this.#disposed || !this.#runtime.start()) return false;
    const { isolated } = this.#runtime;
    const { identityPartsSeparator, disableTopologyUpdates } = this.conventions;
    const { headers } = this.#options;
    const { timeout } = this;
    const host = new Host({
      headers,
      fetch: this.#fetch,
      isolated,
      emit: (event, detail) => this.#emit(event, detail),
      topology: !disableTopologyUpdates,
      refresh: () => this.#refreshTopology(),
      renewed: () => this.#core?.forget(),
      nodes: (etag, urls) => {
        this.#core?.beginTopology(etag);
        this.#reachedAt(urls);
      },
    });
    const make = this.#runtime.bound(
      () =>
        new Store(host, this.#database, identityPartsSeparator, timeout, !disableTopologyUpdates, isolated),
    );
    this.#core = make();
    this.#reachedAt([]);
    for (const hilo of this.#hilos.values()) hilo.attach(this.#core);
    return true;
  }

  /** The app's own addresses come last: whatever the server knows of itself, they worked once. */
  #reachedAt(urls) {
    for (const url of [...urls, ...this.#urls]) this.#core?.add(url);
  }

  #emit(event, detail) {
    for (const listener of this.#listeners.get(event) ?? []) {
      // A listener's exception is the app's, and must not unwind through WebAssembly.
      queueMicrotask(() => listener(detail));
    }
  }
}

/** `localhost:8080` is a URL, too, but not one of a server. */
function isAddress(url) {
  const base = globalThis.location?.href;
  return URL.canParse(url, base) && /^https?:$/.test(new URL(url, base).protocol);
}

/** Waits for a promise, at most so many milliseconds. */
async function within(millis, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

function gone() {
  return new RavenEdgeError("Disposed", "the store was disposed; nothing more is issued or sent");
}
