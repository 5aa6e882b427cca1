// A unit of work over plain objects. Synchronous members answer before the module is there; asynchronous ones run
// one after the other, in the order of their calls.

import { Tracker } from "../hot/tracker.js";
import { fail } from "./error.js";
import { run } from "./run.js";

/** How many entities become text at once: wasm memory never shrinks, so one call for all would keep its peak. */
const CHUNK = 256;

/** RavenDB refuses request lines above 16 KB, and proxies often 8: beyond this the ids travel in a body. */
const LONGEST_QUERY = 4_000;

export class DocumentSession {
  #store;
  #runtime;
  #conventions;
  #tracker;
  #core;
  #enter;
  #last;
  #disposed = false;

  constructor(store, runtime) {
    this.#store = store;
    this.#runtime = runtime;
    this.#conventions = store.conventions;
    this.#tracker = new Tracker(this.#conventions.identityProperty);
    const tracker = this.#tracker;
    this.advanced = {
      getDocumentId: (entity) => this.#id(entity),
      getChangeVectorFor: (entity) => this.#changeVector(entity),
      hasChanges: () => tracker.any(),
      hasChanged: (entity) => tracker.isChanged(this.#slot(entity)),
      isLoaded: (id) => tracker.slot(id) >= 0,
    };
  }

  #ids = new WeakMap();

  #id(entity) {
    return (
      this.#ids.get(entity) ??
      (this.#tracker.slotOf(entity) >= 0 ? entity[this.#conventions.identityProperty] : null)
    );
  }

  #slot(entity) {
    const slot = this.#tracker.slotOf(entity);
    return slot >= 0
      ? slot
      : fail("InvalidArgument", "the entity is not part of this session; store or load it first");
  }

  #changeVector(entity) {
    const slot = this.#slot(entity);
    return this.#enter((core) => core.changeVector(slot)) ?? null;
  }

  /** Runs an operation after those that were called before it. */
  #inOrder(operation) {
    const before = this.#last;
    const result = before === undefined ? operation() : before.then(operation);
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

  async #open() {
    if (this.#disposed) fail("Disposed", "the session was disposed");
    const store = await this.#store.core();
    // A session lives and dies with its instance.
    if (this.#core) return this.#enter(() => {});
    const core = store.session(this.#tracker, this.#conventions.identityProperty);
    this.#core = core;
    this.#enter = this.#runtime.bound((entry) => entry(core));
  }

  async store(entity, id) {
    return this.#inOrder(() => this.#put(entity, id));
  }

  async #put(entity, given) {
    if (typeof entity !== "object" || entity === null) fail("InvalidArgument", "store takes an object");
    await this.#open();
    if (this.#tracker.slotOf(entity) >= 0) return;
    const collection = this.#conventions.collectionOf(entity);
    if (!collection) {
      fail(
        "NoCollection",
        'the entity has no collection: give it "@metadata": { "@collection": "Orders" }, register its class with ' +
          "conventions.registerEntityType, or set conventions.findCollectionNameForObjectLiteral",
      );
    }
    const { identityProperty } = this.#conventions;
    const chosen = given ?? entity[identityProperty] ?? undefined;
    if (chosen !== undefined) this.#check(chosen);
    const prefix = this.#conventions.transformClassCollectionNameToDocumentIdPrefix(collection);
    const id = chosen ?? (await this.#store.hilo(prefix).next());
    if (this.#tracker.slot(id) >= 0) {
      fail(
        "NonUniqueObject",
        `another object is already stored under the id ${id} in this session; change that one`,
      );
    }
    this.#tracker.put(
      this.#enter((core) => core.store(id, collection, chosen === undefined)),
      id,
      entity,
    );
    this.#ids.set(entity, id);
    // A frozen entity cannot show its id; `advanced.getDocumentId` tells it.
    Reflect.set(entity, identityProperty, id);
  }

  #check(id) {
    if (typeof id !== "string") fail("InvalidId", "a document id is a string");
    if (id === "" || id.endsWith("/") || id.endsWith("|")) {
      fail("Unsupported", "ids that the server makes (empty, or ending in '/' or '|') are not supported yet");
    }
  }

  async load(ids) {
    const list = Array.isArray(ids) ? ids : [ids];
    for (const id of list)
      if (typeof id !== "string" || id === "") fail("InvalidArgument", "load takes ids, which are strings");
    await this.#inOrder(async () => {
      await this.#open();
      const missing = list.filter((id) => this.#tracker.slot(id) < 0);
      if (missing.length === 0) return;
      const query = `?id=${missing.map(encodeURIComponent).join("&id=")}`;
      const task = this.#enter((core) =>
        query.length < LONGEST_QUERY ? core.load(query) : core.load("", JSON.stringify({ Ids: missing })),
      );
      await run(this.#runtime, task);
      try {
        this.#tracker.parse();
      } catch (cause) {
        fail(
          "BadAnswer",
          `the answer is not JSON: ${cause.message}; a document was stored with text that is none`,
          { cause },
        );
      }
    });
    const found = (id) => this.#tracker.entity(id) ?? null;
    return Array.isArray(ids) ? Object.fromEntries(list.map((id) => [id, found(id)])) : found(ids);
  }

  async saveChanges() {
    await this.#inOrder(async () => {
      await this.#open();
      const slots = this.#tracker.changed();
      if (slots.length === 0) return;
      for (let at = 0; at < slots.length; at += CHUNK) {
        const chunk = slots.slice(at, at + CHUNK);
        // The app's getters and `toJSON` run here, while Rust is not on the stack.
        const units = this.#tracker.text(chunk);
        this.#enter((core) => core.put(at === 0, chunk, units));
      }
      await run(
        this.#runtime,
        this.#enter((core) => core.save()),
      );
    });
  }

  dispose() {
    this.#disposed = true;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    this.dispose();
  }
}
