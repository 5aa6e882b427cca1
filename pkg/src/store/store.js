// The store: ids, sessions, commands, and the other databases of its server.

import { fail } from "../common/error.js";
import { Events, REQUESTS, SESSION } from "../common/event-listeners.js";
import { idKey } from "../common/id-key.js";
import { checkNames } from "../common/known-names.js";
import { within } from "../common/timeout.js";
import { IdStore } from "../numbers/id-store.js";
import { later } from "../runtime/load-part.js";
import { DocumentSession } from "../session/document-session.js";
import { Cache } from "../wire/response-cache.js";
import { ClientConfiguration } from "./client-configuration.js";
import { DocumentConventions } from "./conventions.js";
import { RequestExecutor } from "./request-executor.js";

/** The options of a session. */
const OPTIONS = ["database", "noTracking", "transactionMode", "optimisticConcurrencyMode"];

export class StoreBase extends IdStore {
  #others = new Map();
  #cache;
  #executor = new RequestExecutor(this);

  /** Sessions with new documents that are not saved yet; workerd of 2024 has no weak references. */
  unsaved = new Set();

  /** What the server wants of its clients. */
  settings = new ClientConfiguration(this);

  /** How many sessions have taken their turn. */
  sessions = 0;

  /** Listeners of all sessions. */
  sessionEvents = new Events(undefined, [...SESSION, ...REQUESTS]);

  constructor(runtime, urls, database, options) {
    super(runtime, urls, database, options, new DocumentConventions());
  }

  /** Answers that may be asked for again. */
  get cache() {
    const { maxHttpCacheSize } = this.conventions;
    if (maxHttpCacheSize > 0) this.#cache ??= new Cache(maxHttpCacheSize);
    return this.#cache;
  }

  /** The class of its sessions. */
  get Session() {
    return DocumentSession;
  }

  initialize() {
    const { readBalanceBehavior } = this.conventions;
    if (!["None", "RoundRobin"].includes(readBalanceBehavior))
      fail("Unsupported", 'readBalanceBehavior: "None" or "RoundRobin"');
    super.initialize();
    if (!this.runtime.isolated) this.conventions.prefetch();
    return this;
  }

  async ready(...tags) {
    await Promise.all([super.ready(...tags), within(this.timeout, this.conventions.ready())]);
  }

  openSession(options) {
    this.assertOpen();
    const { database, ...chosen } = typeof options === "string" ? { database: options } : (options ?? {});
    const store = this.of(database);
    if (store !== this) return store.openSession(chosen);
    this.assertDatabase();
    checkNames("session option", chosen, OPTIONS);
    const session = new this.Session(this, chosen);
    this.sessionEvents.emit("sessionCreated", { session });
    this.events.emit("sessionCreated", { session });
    return session;
  }

  /** The store of a database of the server, by default this one; another one lives as long as this one. */
  of(database) {
    const key = idKey(database ?? "");
    if (!key || key === idKey(this.database ?? "")) return this;
    let other = this.#others.get(key);
    if (!other) {
      this.assertOpen();
      other = new this.constructor(this.urls, database, this.options);
      other.conventions = this.conventions;
      other.events = this.events;
      other.sessionEvents = this.sessionEvents;
      this.#others.set(key, other.initialize());
    }
    return other;
  }

  /** Listens to all sessions that are opened from now on. */
  addSessionListener(name, listener) {
    this.sessionEvents.on(name, listener);
    return this;
  }

  removeSessionListener(name, listener) {
    this.sessionEvents.off(name, listener);
    return this;
  }

  /** Where the server has a route of the database. */
  path(route) {
    return `/databases/${encodeURIComponent(this.database)}/${route}`;
  }

  getRequestExecutor(database) {
    return this.of(database).#executor;
  }

  /** Numbers and ids by the members of npm `ravendb`, which are loaded when one is called. */
  get hiLoIdGenerator() {
    const call = async (name, given) => {
      const { MultiDatabaseHiLoIdGenerator: Generator } = await later("hilo");
      return new Generator(this)[name](...given);
    };
    const names = ["generateNextIdFor", "generateDocumentId", "returnUnusedRange"];
    return Object.fromEntries(names.map((name) => [name, (...given) => call(name, given)]));
  }

  /** Sends a command, which keeps its result. */
  async execute(command) {
    return (await later("session")).execute(this, command);
  }

  get operations() {
    return {
      send: (operation, _session, type) => this.#operate(operation, type),
      forDatabase: (database) => this.of(database).operations,
    };
  }

  get maintenance() {
    // Operations of the server are about no database; their core wants the name of one.
    return { ...this.operations, server: this.of(this.database || "-").operations };
  }

  async #operate(operation, type) {
    return (await later("session")).operate(this, operation, type);
  }

  listenersOf(event) {
    return [...super.listenersOf(event), ...this.sessionEvents.of(event), ...this.#executor.events.of(event)];
  }

  unsavedDocuments() {
    return [...this.unsaved].flatMap((session) => session.deref()?.unsaved() ?? []);
  }

  others(what) {
    return Promise.all([...this.#others.values()].map((other) => other[what]()));
  }
}
