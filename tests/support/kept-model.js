// A device with documents, and a simple reference of what it may show. Runs in a page; `run(seed, steps)` is called by
// `browsers/kept-model.test.mjs`.

import { offline } from "/dist/entries/offline.js";
import { DocumentStore } from "/dist/entries/web.js";
import { random } from "/random.mjs";

const IDS = ["orders/1", "orders/2", "orders/3"];
const QUERIES = { queries: { all: { query: "from Orders order by n as long", wait: 10_000 } } };
const LARGE = 1_000_000;
const SMALL = 3_000;

class Model {
  constructor(name, seed) {
    this.name = name;
    this.random = random(seed);
    this.log = [];
    this.isOffline = false;
    /** Responses that have not arrived yet: each a function. */
    this.held = [];
    this.isHolding = false;
    /** What the server has had, by id: numbers of versions, `null` for none. The last one is current. */
    this.history = new Map(IDS.map((id) => [id, [null]]));
    this.version = 0;
    /** Pending changes of each user: `{ id, n, isPatch }`. */
    this.pending = { ann: [], bob: [] };
    this.shown = 0;
    this.missing = 0;
    /** How often something was missing that was seen, and cannot have been evicted. */
    this.lost = 0;
    this.sure = new Set();
    this.foreign = new DocumentStore("/raven", name).initialize();
    this.stores = [];
  }

  get user() {
    return this.options.user;
  }

  /** The device's user opens the app in two tabs; what was kept for another user must be gone. */
  async open(user, maxBytes) {
    const isOther = this.options?.user !== user;
    if (isOther || maxBytes === SMALL) this.sure.clear();
    const old = this.stores;
    this.options = { user, maxBytes };
    this.stores = [this.store(), this.store()];
    // The position in the history of what the user was shown, by id; what is older must not be shown.
    if (isOther) this.seen = new Map();
    if (isOther) this.list = undefined;
    // Responses to the other user's requests may still arrive.
    await Promise.all(this.stores.map((store) => store.offline.pending()));
    this.old = isOther ? old : [];
    if (!isOther) for (const store of old) store.dispose();
  }

  store() {
    const { user, maxBytes } = this.options;
    const store = new DocumentStore("/raven", this.name, {
      fetch: (url, init) => this.fetch(url, init),
      offline: offline({
        user,
        documents: { maxBytes },
        automatic: false,
        patience: 60_000,
        merge: { "*": "lastWriter" },
      }),
    }).initialize();
    store.named(QUERIES);
    return store;
  }

  async fetch(url, init) {
    if (this.isOffline) throw new TypeError("offline");
    const response = await fetch(url, init);
    if (this.isHolding && /\/docs/.test(url)) await new Promise((resolve) => this.held.push(resolve));
    if (this.isOffline) throw new TypeError("offline");
    return response;
  }

  any(list) {
    return this.random.pick(list);
  }

  session(offline = "never") {
    return this.any(this.stores).openSession({ offline });
  }

  /** The server has another version of a document. */
  wrote(id, n) {
    this.history.get(id).push(n);
  }

  /** The user was shown a version; `from`: the position in the history when the server was asked. */
  saw(id, n, from, user) {
    if (user !== this.user) return;
    const all = this.history.get(id);
    const at = n === null ? all.indexOf(null, from) : all.lastIndexOf(n);
    if (at < 0) throw new Error(`${id} was never ${n}`);
    this.seen.set(id, Math.max(this.seen.get(id) ?? 0, at));
    if (this.options.maxBytes === LARGE) this.sure.add(id);
  }

  /** Loads from the server; the response may be held. */
  async load(isHeld) {
    const { user } = this;
    const id = this.any(IDS);
    const from = this.history.get(id).length - 1;
    this.isHolding = isHeld;
    const session = this.session(isHeld ? "never" : this.any(["never", "fallback", "first"]));
    let isAsked;
    const asked = new Promise((resolve) => (isAsked = resolve));
    const before = this.held.length;
    const loading = session.load(id).then(
      (order) => {
        // What waits on the device is laid over it.
        if (!this.pending[user].some((change) => change.id === id && !change.isPatch))
          this.saw(id, order?.n ?? null, isHeld ? from : 0, user);
        isAsked();
      },
      () => isAsked(),
    );
    if (!isHeld) {
      await loading;
      this.isHolding = false;
      return;
    }
    while (this.held.length === before && !this.isOffline)
      await Promise.race([asked, new Promise((resolve) => setTimeout(resolve))]);
    this.isHolding = false;
    this.loading = [...(this.loading ?? []), loading];
  }

  async release() {
    while (this.held.length > 0) this.held.splice(this.random.below(this.held.length), 1)[0]();
    await Promise.all(this.loading ?? []);
    this.loading = [];
  }

  async write(session, id, isSave) {
    const n = this.random.chance(0.25) ? null : ++this.version;
    if (n === null) await session.delete(id);
    else
      await session.store({ n, text: "x".repeat(200), "@metadata": { "@collection": "Orders" } }, id, {
        changeVector: null,
      });
    if (isSave) await session.saveChanges();
    return n;
  }

  async foreignWrite() {
    const id = this.any(IDS);
    this.wrote(id, await this.write(this.foreign.openSession(), id, true));
  }

  async save() {
    const id = this.any(IDS);
    const { user } = this;
    if (this.pending[user].some((change) => change.id === id)) return;
    const n = await this.write(this.session(), id, true);
    this.wrote(id, n);
    this.saw(id, n, this.history.get(id).length - 1, user);
  }

  async queue() {
    const id = this.any(IDS);
    const session = this.session("only");
    if (this.random.chance(0.25)) {
      const n = ++this.version;
      session.advanced.patch(id, "n", n);
      await session.queueChanges();
      this.pending[this.user].push({ id, n, isPatch: true });
      return;
    }
    const n = await this.write(session, id, false);
    await session.queueChanges();
    this.pending[this.user].push({ id, n });
  }

  async flush() {
    const { user } = this;
    const isEmpty = await this.stores[0].offline.flush({ timeout: 20_000 });
    if (!isEmpty) throw new Error(`not flushed: ${JSON.stringify(this.stores[0].offline.status())}`);
    for (const { id, n, isPatch } of this.pending[user].splice(0)) {
      // A patch of a document that does not exist does nothing. The device reads it afterwards.
      if (isPatch && this.history.get(id).at(-1) === null) {
        this.seen.set(id, this.seen.get(id) ?? 0);
        continue;
      }
      this.wrote(id, n);
      this.seen.set(id, this.history.get(id).length - 1);
    }
  }

  async query() {
    const { user } = this;
    const orders = await this.session().query({ named: "all" }).all();
    const current = IDS.filter((id) => this.history.get(id).at(-1) !== null);
    this.list = current.sort((a, b) => this.history.get(a).at(-1) - this.history.get(b).at(-1));
    for (const id of current) this.saw(id, this.history.get(id).at(-1), 0, user);
    void orders;
  }

  /** What the device shows must be the last that was seen, with pending changes over it. */
  async check() {
    for (const store of [...this.stores, ...this.old])
      await store
        .openSession({ offline: "only" })
        .load("orders/0")
        .catch(() => {});
    const { user } = this;
    for (const id of IDS) {
      const { value, reason } = await settled(this.session("only").load(id));
      this.judge(id, value, reason, user);
    }
    const { value, reason } = await settled(this.session("only").query({ named: "all" }).all());
    if (reason) return this.isUnreachable(reason);
    if (!this.list) throw new Error("results that the user has never seen");
    const order = value.map(({ id }) => this.list.indexOf(id));
    if (order.some((at, next) => at < 0 || (next > 0 && at <= order[next - 1])))
      throw new Error(`in another order: ${value.map(({ id }) => id)}, not ${this.list}`);
    for (const id of this.list) {
      const found = value.find((each) => each.id === id);
      this.judge(id, found ?? null, undefined, user);
    }
  }

  isUnreachable(reason) {
    if (reason.code !== "Unreachable") throw reason;
    this.missing++;
  }

  judge(id, order, reason, user) {
    const mine = this.pending[user].filter((change) => change.id === id && !change.isPatch).at(-1);
    if (reason) {
      if (mine) throw new Error(`${id} waits on the device, and is not shown`);
      if (this.sure.has(id)) this.lost++;
      return this.isUnreachable(reason);
    }
    this.shown++;
    const n = order?.n ?? null;
    if (mine) {
      if (n !== mine.n) throw new Error(`${id}: ${n} is shown, not the pending ${mine.n}`);
      return;
    }
    const seen = this.seen.get(id);
    if (seen === undefined && !this.refreshed)
      throw new Error(`${id}: ${n} is shown, and the user has never seen it`);
    const all = this.history.get(id);
    const at = n === null ? all.lastIndexOf(null) : all.lastIndexOf(n);
    if (at < (seen ?? 0)) throw new Error(`${id}: ${n} is shown, which is older than ${all[seen]} of ${all}`);
    // From now on it must not be older than this. Of several deletions it may be the first.
    if (n !== null) this.seen.set(id, at);
  }

  async step() {
    const steps = this.isOffline
      ? { queue: 4, online: 3, tabs: 1, user: 1 }
      : {
          load: 5,
          hold: 5,
          release: 3,
          foreignWrite: 4,
          save: 3,
          queue: 3,
          flush: 2,
          query: 2,
          offline: 2,
          tabs: 1,
          user: 1,
        };
    const names = Object.entries(steps).flatMap(([name, weight]) => Array(weight).fill(name));
    const name = this.any(names);
    this.log.push(name);
    if (name === "load") await this.load(false);
    else if (name === "hold") await this.load(true);
    else if (name === "offline") {
      this.isOffline = true;
      await this.release();
    } else if (name === "online") this.isOffline = false;
    else if (name === "tabs") await this.open(this.user, this.any([LARGE, SMALL]));
    else if (name === "user") await this.open(this.user === "ann" ? "bob" : "ann", this.any([LARGE, SMALL]));
    else if (name === "flush") {
      await this.release();
      await this.flush();
    } else await this[name]();
    await this.check();
  }

  /** In the end everything that the server has is loaded, and shown. */
  async end() {
    this.isOffline = false;
    await this.release();
    await this.open(this.user, LARGE);
    await this.flush();
    // A tab that has sent a change may note only now that its document must be read again: after `dispose` it has.
    await Promise.all([...this.stores, ...this.old.splice(0)].map((store) => store.dispose()));
    await this.open(this.user, LARGE);
    await this.stores[0].offline.prefetch(IDS);
    this.isOffline = true;
    const shown = await this.stores[1].openSession().load(IDS);
    for (const id of IDS) {
      const n = this.history.get(id).at(-1);
      if ((shown[id]?.n ?? null) !== n)
        throw new Error(`${id}: ${shown[id]?.n} is shown in the end, not ${n}`);
    }
  }
}

const settled = (promise) =>
  promise.then(
    (value) => ({ value }),
    (reason) => ({ reason }),
  );

globalThis.run = async (name, seed, steps) => {
  const model = new Model(name, seed);
  try {
    await model.open("ann", LARGE);
    for (let step = 0; step < steps; step++) await model.step();
    await model.end();
  } catch (error) {
    throw new Error(`seed ${seed}, after ${model.log.length} steps (${model.log.slice(-8)}): ${error.stack}`);
  }
  for (const store of [...model.stores, ...model.old]) store.dispose();
  return { shown: model.shown, missing: model.missing, lost: model.lost };
};
globalThis.loaded = true;
