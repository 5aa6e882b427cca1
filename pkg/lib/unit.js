// A session's inside: what it tracks, in which order it works, and how it talks to the core.

import { Answer } from "../hot/answer.js";
import { fold } from "../hot/fold.js";
import { Sent } from "../hot/sent.js";
import { FORCED } from "../hot/stamps.js";
import { Tracker } from "../hot/tracker.js";
import { ask } from "./command.js";
import { fail, RavenEdgeError } from "./error.js";
import { Events, SESSION } from "./events.js";
import { isObject } from "./given.js";
import { checkName } from "./known.js";
import { run } from "./run.js";
import { Shape } from "./types.js";

const gone = () => new RavenEdgeError("Disposed", "the session was disposed");

export class Unit {
  #core;
  #store;
  #last;
  #disposed = false;
  /** Calls the core, once the session is open. */
  enter;
  /** What is known of documents by class and by the collection that they name. */
  #like = new Map();
  /** Whether the store knows that there are ids that are not saved. */
  #remembered = false;
  #options;
  #self;
  #answer = new Answer();
  requests = 0;
  deferred = [];
  /** Deferred commands that are on their way. */
  underWay = [];
  lazies = [];
  /** Whether `beforeStore` listeners are having their say. */
  listening = false;
  /** Answers that are being gone through. */
  streams = new Set();
  saveOptions = {};
  /** Whether a save is a transaction of the whole cluster. */
  cluster = false;
  #concurrency;

  constructor(store, options) {
    this.store = store;
    // Who listens to the store later hears of later sessions.
    this.events = new Events(store.sessionEvents, SESSION);
    this.#options = options;
    const { conventions, runtime } = store;
    this.runtime = runtime;
    this.conventions = conventions;
    this.shape = new Shape(conventions);
    const { hasOwnIdentities, identityProperty } = conventions;
    const identity = hasOwnIdentities ? (entity) => conventions.identityOf(entity) : identityProperty;
    this.tracker = new Tracker(identity, this.shape);
    this.sent = new Sent(this.tracker, this.shape);
    this.maxRequests = store.settings.maxNumberOfRequestsPerSession;
    this.concurrency = options.optimisticConcurrencyMode ?? conventions.optimisticConcurrencyMode;
    if (options.transactionMode) this.transactionMode = options.transactionMode;
  }

  get concurrency() {
    return this.#concurrency;
  }

  set concurrency(mode) {
    checkName("optimisticConcurrencyMode", mode, ["None", "Writes", "WritesAndReads"]);
    this.#concurrency = mode;
  }

  set transactionMode(mode) {
    checkName("transactionMode", mode, ["SingleNode", "ClusterWide"]);
    this.cluster = mode === "ClusterWide";
  }

  /** The session that it is the inside of. */
  attach(session) {
    this.session = session;
    this.#self = globalThis.WeakRef && new WeakRef(session);
  }

  get optimistic() {
    return this.concurrency !== "None";
  }

  get noTracking() {
    return !!this.#options.noTracking;
  }

  /** Whether an operation can be done here and now: nothing is under way, and nothing has to be waited for. */
  get idle() {
    return (
      (this.#last === undefined || this.listening) &&
      !this.#disposed &&
      this.#core !== undefined &&
      this.store.isAlive(this.#store)
    );
  }

  /** Runs an operation of the open session after those that were called before it. */
  inOrder(operation) {
    const before = this.#last;
    const run = () => this.open().then(operation);
    const result = before === undefined ? run() : before.then(run);
    const done = result.then(
      () => {},
      () => {},
    );
    this.#last = done;
    done.then(() => {
      if (this.#last === done) this.#last = undefined;
    });
    return result;
  }

  /** The same, but at once for `beforeStore` listeners: what they store and delete is saved with the rest. */
  soon(operation) {
    return this.listening ? operation() : this.inOrder(operation);
  }

  assertOpen() {
    if (this.#disposed) throw gone();
  }

  async open() {
    this.assertOpen();
    const store = await this.store.core();
    // A session lives and dies with its instance.
    if (this.#core) return this.enter(() => {});
    const { maxIdLength, allowBackslashInIds } = this.conventions;
    const turn = this.store.settings.readBalanceBehavior === "RoundRobin" ? this.store.sessions++ : undefined;
    const core = store.session(maxIdLength, allowBackslashInIds, turn);
    this.#core = core;
    this.#store = store;
    this.enter = this.runtime.bound((entry) => entry(core));
  }

  /** Whether it was open. */
  close() {
    const open = !this.#disposed;
    this.settled();
    this.#disposed = true;
    for (const stream of this.streams) stream.stop(gone());
    // Not left to the garbage collector: all documents would stay in memory until it runs. What is under way needs it yet.
    if (this.#last === undefined) this.#free();
    else this.#last.then(() => this.#free());
    return open;
  }

  #free() {
    const enter = this.enter;
    if (this.#core === undefined) return;
    this.#core = undefined;
    this.enter = () => {
      throw gone();
    };
    if (enter.alive()) enter((core) => core.free());
  }

  /** One more request of this session. */
  count() {
    if (++this.requests <= this.maxRequests) return;
    fail(
      "InvalidOperation",
      `this session has made its ${this.maxRequests} requests (maxNumberOfRequestsPerSession): load ids together, save once, or raise the limit`,
    );
  }

  /** Runs a task; gives what `read` finds in its answer. */
  async run(task, read) {
    try {
      this.count();
    } catch (error) {
      // Where nothing collects what WebAssembly holds for JavaScript, it would stay for ever.
      this.enter(() => task.free());
      throw error;
    }
    try {
      await run(this.runtime, task, undefined, (bytes, status) =>
        status === 200 || status === 201 ? this.#answer.take(bytes) : bytes,
      );
      return read?.(this.#answer);
    } finally {
      this.#answer.take();
    }
  }

  /** Sends a command; gives status and text of the answer. `take` gets the body of a stream. */
  ask(command, take) {
    return ask(this.store, command, take);
  }

  /** The ids of a collection. */
  hilo(collection) {
    return this.store.hilo(this.conventions.transformClassCollectionNameToDocumentIdPrefix(collection));
  }

  /** Another document like this one needs not be thought about. */
  learn(entity, collection, kind) {
    // An object without a prototype has no class by which another one would be like it.
    if (typeof entity.constructor !== "function") return;
    if (entity["@metadata"]?.["@collection"] !== collection && entity.constructor === Object) return;
    if (this.conventions.literalOf(entity)) return;
    const known = this.#like.get(entity.constructor) ?? new Map();
    const identity = this.conventions.identityOf(entity);
    this.#like.set(entity.constructor, known);
    known.set(entity["@metadata"]?.["@collection"], { kind, identity, hilo: this.hilo(collection) });
  }

  /** Stores a document like one that was stored before, if its id is at hand. */
  quick(entity) {
    const { tracker } = this;
    const like = this.#like.get(entity?.constructor)?.get(entity["@metadata"]?.["@collection"]);
    if (like === undefined || !this.idle || this.deferred.length > 0 || this.noTracking) return false;
    if (typeof entity[like.identity] === "string" || tracker.slotOf(entity) >= 0) return false;
    const id = like.hilo.take();
    if (id === undefined) return false;
    // Somebody has chosen what is one of our ids: this number is burnt.
    if (tracker.has(id)) return false;
    tracker.stamps.add(tracker.add(id, entity), like.kind, FORCED);
    this.remember();
    this.show(entity, id);
    return true;
  }

  heard(name) {
    return this.events.has(name);
  }

  emit(name, detail) {
    this.events.emit(name, detail);
  }

  /** The slot of an entity of this session. */
  slot(entity, code) {
    const slot = this.tracker.slotOf(entity);
    if (slot >= 0) return slot;
    const id = isObject(entity) && entity[this.conventions.identityOf(entity)];
    const other = typeof id === "string" && this.tracker.slot(id) >= 0;
    if (other) this.conflict(id, "give that one, or the id: this is a wrapper of it, or a copy");
    fail(
      code ?? (id ? "InvalidArgument" : "InvalidOperation"),
      `the entity${id ? ` ${id}` : ""} is not part of this session; store or load it first`,
    );
  }

  conflict(id, advice = "change that one, do not store a copy") {
    fail(
      "NonUniqueObject",
      `the session has another object under the id ${id}, which load("${id}") gives; ${advice}`,
    );
  }

  /** The entity of an id, once it was loaded; null when there is none. */
  find(id, type) {
    const key = fold(id);
    const slot = this.tracker.slotOfKey(key);
    if (slot < 0 || (this.tracker.missing.size > 0 && this.tracker.missing.has(key))) return null;
    if (type && this.tracker.isHidden(slot)) {
      const entity = this.tracker.at(slot);
      if (typeof type !== "function" || !(entity instanceof type)) {
        // Its class may show the id elsewhere.
        const { [this.conventions.identityOf(entity)]: _, ...document } = entity;
        const made = this.shape.entity(document, type);
        this.tracker.replace(slot, made);
        // What the class adds is no change of the app's.
        this.tracker.snapshots.settle(slot, made);
      }
    }
    return this.tracker.show(slot);
  }

  /** An entity shows its id, if it can: frozen ones, and those that refuse it, have it by `advanced.getDocumentId`. */
  show(entity, id) {
    try {
      entity[this.conventions.identityOf(entity)] = id;
    } catch {
      // It is not for the app's own setter to stop what has been done already.
    }
  }

  /** The store knows which sessions have ids that are not saved. */
  remember() {
    if (this.#remembered || !this.#self) return;
    this.#remembered = true;
    const { unsaved } = this.store;
    // Nobody tells of sessions that were dropped without a save.
    if (unsaved.size % 1_000 === 999) for (const each of unsaved) if (!each.deref()) unsaved.delete(each);
    unsaved.add(this.#self);
  }

  settled() {
    this.#remembered = false;
    this.store.unsaved.delete(this.#self);
  }

  /** After the server was asked: what it did not give does not exist. */
  settleLoad(ids) {
    for (const id of ids) {
      const key = fold(id);
      if (this.tracker.slotOfKey(key) < 0) this.tracker.missing.set(key, id);
    }
  }

  knows(id) {
    const key = fold(id ?? "");
    return this.tracker.slotOfKey(key) >= 0 || this.tracker.missing.has(key);
  }
}
