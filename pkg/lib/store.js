// The store: configuration, events, and the WebAssembly core once it is there.

import { Store } from "../gen/raven_edge.js";
import { DocumentConventions } from "./conventions.js";
import { fail, RavenEdgeError } from "./error.js";
import { HiLo } from "./hilo.js";
import { DocumentSession } from "./session.js";

/** Time limit of a request, and of a caller who waits for an id, in milliseconds. */
const TIMEOUT = 15_000;

/** What the arrays that come with events mean. */
const fields = {
  lease: ["tag", "low", "high", "nodeTag", "fenced"],
  return: ["tag", "low", "high", "applied", "error"],
  regression: ["tag", "low", "high", "highest"],
};

export class StoreBase {
  #runtime;
  #urls;
  #database;
  #options;
  #core;
  #generation = 0;
  #hilos = new Map();
  #listeners = new Map();
  #initialized = false;
  #disposed;
  #fetch;

  conventions = new DocumentConventions();

  constructor(runtime, urls, database, options = {}) {
    this.#runtime = runtime;
    this.#urls = (Array.isArray(urls) ? urls : [urls]).map(String);
    this.#database = database;
    this.#options = options;
    runtime.onDeath(() => {
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

  /** Checks the configuration and begins to load the module. */
  initialize() {
    if (this.#initialized) return this;
    const { timeout = TIMEOUT, certificate, fetch } = this.#options;
    if (typeof this.#database !== "string" || this.#database === "") fail("InvalidArgument", "the database name is missing");
    if (!(timeout > 0 && timeout <= 2 ** 31 - 1)) fail("InvalidArgument", "timeout is a number of milliseconds above 0");
    if (this.#urls.length === 0) fail("InvalidArgument", "no server address was given");
    for (const url of this.#urls) {
      if (!URL.canParse(url, globalThis.location?.href)) {
        fail("InvalidArgument", `the server address "${url}" is not a URL${url.startsWith("/") ? "; outside a page it must be absolute" : ""}`);
      }
    }
    if (certificate && !fetch) {
      this.#fetch = this.#runtime.connect?.(this.#options);
      if (!this.#fetch) {
        fail("Unsupported", "client certificates cannot be read here; give the store a `fetch` that presents one, such as a Worker's mTLS binding: fetch: env.RAVEN.fetch.bind(env.RAVEN)");
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
    if (database && database !== this.#database) fail("Unsupported", "sessions of another database need a store of their own");
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
    if (this.#core) await this.#runtime.settle(() => this.#core.dispose());
    for (const hilo of this.#hilos.values()) hilo.detach();
  }

  #assertInitialized() {
    if (!this.#initialized) fail("InvalidArgument", "call initialize() on the store before using it");
  }

  /** Makes the core if there is an instance for it. */
  #attach() {
    if (this.#core !== undefined) return true;
    if (this.#disposed || !this.#runtime.start()) return false;
    this.#core = this.#runtime.enter(() => new Store(this.#configuration()));
    this.#generation = this.#runtime.generation;
    for (const hilo of this.#hilos.values()) hilo.attach(this.#core);
    return true;
  }

  #configuration() {
    const { headers, timeout = TIMEOUT } = this.#options;
    const { isolated } = this.#runtime;
    const page = globalThis.location?.origin;
    return {
      urls: this.#urls,
      database: this.#database,
      timeout,
      separator: this.conventions.identityPartsSeparator,
      topology: !this.conventions.disableTopologyUpdates,
      origin: page?.startsWith("http") ? page : "",
      isolated,
      fetch: (url, init) => {
        if (headers) new Headers(headers()).forEach((value, name) => init.headers.set(name, value));
        // A lease changes the server although part of it is a GET. Workers know no cache mode.
        if (!isolated) init.cache = "no-store";
        const send = this.#fetch ?? fetch;
        return send(url, init);
      },
      emit: (event, detail) => this.#emit(event, detail),
      error: (code, message, type, status, request, conflict) =>
        new RavenEdgeError(code, message, { type, status, request, conflict }),
    };
  }

  #emit(event, detail) {
    const told = Object.fromEntries(fields[event].map((name, at) => [name, detail[at]]));
    for (const listener of this.#listeners.get(event) ?? []) {
      // A listener's exception is the app's, and must not unwind through WebAssembly.
      queueMicrotask(() => listener(told));
    }
  }
}

function gone() {
  return new RavenEdgeError("Disposed", "the store was disposed; nothing more is issued or sent");
}
