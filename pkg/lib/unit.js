// A session's inside: what it tracks, in which order it works, and how it talks to the core.

import { Answer } from "../hot/answer.js";
import { Sent } from "../hot/sent.js";
import { FORCED } from "../hot/stamps.js";
import { fold, Tracker } from "../hot/tracker.js";
import { idOf } from "../hot/values.js";
import { ask } from "./command.js";
import { fail, RavenEdgeError } from "./error.js";
import { Events } from "./events.js";
import { isObject } from "./given.js";
import { byIds } from "./listing.js";
import { run } from "./run.js";
import { Shape } from "./types.js";

const gone = () => new RavenEdgeError("Disposed", "the session was disposed");

export class Unit {
  #core;
  #store;
  #last;
  #disposed = false;
  #enter;
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
  sending = [];
  lazies = [];
  /** Answers that are being gone through. */
  streams = new Set();
  saveOptions = {};

  constructor(session, store, options) {
    this.session = session;
    this.#self = globalThis.WeakRef && new WeakRef(session);
    this.store = store;
    // Who listens to the store later hears of later sessions.
    this.events = new Events(store.sessionEvents);
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
    this.cluster = options.transactionMode === "ClusterWide";
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
      this.#last === undefined &&
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

  assertOpen() {
    if (this.#disposed) throw gone();
  }

  async open() {
    this.assertOpen();
    const store = await this.store.core();
    // A session lives and dies with its instance.
    if (this.#core) return this.enter(() => {});
    const { identityProperty, hasOwnIdentities, maxIdLength, allowBackslashInIds } = this.conventions;
    // With several properties the tracker leaves them out.
    const identity = hasOwnIdentities ? "" : identityProperty;
    const turn = this.store.settings.readBalanceBehavior === "RoundRobin" ? this.store.sessions++ : undefined;
    const core = store.session(this.sent, identity, maxIdLength, allowBackslashInIds, turn);
    this.#core = core;
    this.#store = store;
    this.#enter = this.runtime.bound((entry) => entry(core));
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
    const enter = this.#enter;
    if (this.#core === undefined) return;
    this.#core = undefined;
    this.#enter = () => {
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
    this.count();
    try {
      await run(this.runtime, task, undefined, (bytes) => this.#answer.take(bytes));
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
    if (entity["@metadata"]?.["@collection"] !== collection && entity.constructor === Object) return;
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

  /** Calls the core. */
  enter(entry) {
    return this.#enter(entry);
  }

  /**
   * Documents of these ids, or of what the query says, become entities; gives them in the order of the answer. `distinct`: no two of the
   * ids are alike.
   */
  async fetch(parameters, ids, type, distinct = false) {
    const { route, body } = byIds(parameters, ids);
    const wanted = distinct ? ids : undefined;
    const answers = await this.#fetch(route, body && JSON.stringify(body), [{ type }], wanted);
    return answers[0]?.entities ?? [];
  }

  /** Documents as they are now, which the tracker does not take in, and their inexact numbers by id. */
  async read(ids) {
    const { bodies, numbers } = await this.#load("docs", JSON.stringify({ Ids: ids }));
    return { documents: bodies.flatMap(({ Results }) => Results.filter(idOf)), numbers };
  }

  /** The calls of a query as the text to send. */
  render(calls) {
    return this.runtime.render(JSON.stringify(calls));
  }

  /** What a query finds. */
  async fetchQuery(body, reading) {
    return this.#fetch("queries", body, [reading]);
  }

  /** Several requests in one: `{ query }` of documents or `{ route, body }`, and how to read the answer. */
  async fetchAll(requests) {
    const all = requests.map(({ query, route = "docs", body }) => ({
      Url: this.path(route),
      Query: query ? `?${query}` : "",
      Method: body ? "POST" : "GET",
      Headers: {},
      Content: body,
    }));
    const readings = requests.map(({ reading }) => reading);
    return this.#fetch("multi_get", JSON.stringify({ Requests: all }), readings);
  }

  /** Where the server has a route of the database. */
  path(route) {
    return `/databases/${encodeURIComponent(this.store.database)}/${route}`;
  }

  /**
   * What a request brings becomes entities. How each answer is read: `type` is the class of its documents, if the app names
   * one; `untracked`: the session does not keep them; `project` makes something else of parts of documents.
   */
  async #fetch(route, body, readings, wanted) {
    const { bodies, numbers } = await this.#load(route, body);
    const told = [];
    this.tracker.asWanted = false;
    const answers = bodies.map((body, at) => this.#adopt(body, readings[at] ?? {}, numbers, told, wanted));
    // What a listener does to an entity is a change.
    for (const event of told) this.emit("afterConversionToEntity", event);
    return answers;
  }

  /** Entities of one answer, and what it says beside its documents. */
  #adopt({ Results, Includes, ...said }, reading, numbers, told, wanted) {
    const listens = this.heard("beforeConversionToEntity") || this.heard("afterConversionToEntity");
    const converter = (type) =>
      listens
        ? (document) => this.entity(document, type, told)
        : (document) => this.shape.entity(document, type);
    const convert = converter(reading.type);
    const isTracked = !this.noTracking && !reading.untracked;
    const entities = isTracked
      ? this.tracker.adopt(Results, convert, numbers, wanted)
      : Results.map((document) => (idOf(document) ? convert(document) : null));
    if (reading.project)
      Results.forEach((document, at) => {
        entities[at] ??= reading.project(document);
      });
    // Only for what was asked for the app may have named a class.
    if (isTracked && Includes) this.tracker.include(Object.values(Includes), converter(), numbers);
    return { entities, said };
  }

  /** The bodies of the answer to a request, or of those to `multi_get`, and the inexact numbers in them. */
  async #load(route, body) {
    const several = route === "multi_get";
    const task = this.enter((core) => core.load(route, body));
    let why = "it has no documents";
    let cause;
    try {
      const { answer, numbers } = await this.run(task, (answer) => answer.read(several));
      if (answer === undefined) return { bodies: [], numbers };
      if (isAnswer(answer)) {
        const bodies = several ? answer.Results.map((part) => this.#part(part)) : [answer];
        if (bodies.every(isAnswer)) return { bodies, numbers };
      }
    } catch (error) {
      // RavenDB may store what is no JSON (`1.`).
      if (!(error instanceof SyntaxError)) throw error;
      cause = error;
      why = `it is no JSON: ${error.message}`;
    }
    fail("BadAnswer", `the answer is none of RavenDB's (${why}); is this path forwarded to it, as it is?`, {
      cause,
      request: `${body === undefined ? "GET" : "POST"} ${this.path(route.split("?")[0])}`,
    });
  }

  #part({ StatusCode: status, Result }) {
    if (status === 200) return Result;
    if (status === 404) return { Results: [] };
    throw this.enter((core) => core.refused(status, JSON.stringify(Result)));
  }

  /** The entity of a document, where somebody listens. */
  entity(document, type, told) {
    const id = document["@metadata"]["@id"];
    if (this.heard("beforeConversionToEntity")) {
      const event = { session: this.session, id, type, document };
      this.emit("beforeConversionToEntity", event);
      document = event.document;
    }
    const entity = this.shape.entity(document, type);
    if (this.heard("afterConversionToEntity")) told.push({ session: this.session, id, entity, document });
    return entity;
  }

  /** An entity becomes what the server has under its id. */
  revise(slot, document) {
    const entity = this.tracker.at(slot);
    const fresh = this.shape.entity(document, entity.constructor === Object ? undefined : entity.constructor);
    for (const key of Object.keys(entity)) if (!(key in fresh)) Reflect.deleteProperty(entity, key);
    Object.assign(entity, fresh);
    this.told(slot, document);
    this.tracker.snapshots.settle(slot, entity);
  }

  /** A document was read again. */
  told(slot, { "@metadata": metadata }) {
    this.tracker.stamps.told(slot, metadata["@change-vector"], metadata["@last-modified"]);
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
    if (other) this.conflict(id);
    fail(
      code ?? (id ? "InvalidArgument" : "InvalidOperation"),
      `the entity${id ? ` ${id}` : ""} is not part of this session; store or load it first`,
    );
  }

  conflict(id) {
    fail(
      "NonUniqueObject",
      `the session has another object under the id ${id}; change that one (load("${id}") gives it), do not store a copy`,
    );
  }

  /** The entity of an id, once it was loaded; null when there is none. */
  find(id, type) {
    const key = fold(id);
    const slot = this.tracker.slotOfKey(key);
    if (slot < 0 || (this.tracker.missing.size > 0 && this.tracker.missing.has(key))) return null;
    if (type && this.tracker.isHidden(slot)) {
      const entity = this.tracker.at(slot);
      if (!(entity instanceof type)) this.tracker.replace(slot, Object.assign(new type(), entity));
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
    this.store.unsaved.add(this.#self);
  }

  settled() {
    this.#remembered = false;
    this.store.unsaved.delete(this.#self);
  }

  /** After the server was asked: what it did not give does not exist. */
  settleLoad(keys) {
    for (const key of keys) if (this.tracker.slotOfKey(key) < 0) this.tracker.missing.add(key);
  }

  knows(id) {
    const key = fold(id);
    return this.tracker.slotOfKey(key) >= 0 || this.tracker.missing.has(key);
  }
}

function isAnswer(value) {
  return Array.isArray(value?.Results);
}

/** The entities of an answer that are not tracked. */
export function byKey(entities) {
  return new Map(entities.filter(Boolean).map((entity) => [fold(entity["@metadata"]["@id"]), entity]));
}
