// Records what a page does with the pool, the server and the app, in order, and checks whether that order obeys the
// law.

/** Runs in a page before the package: records transactions with their puts and ends, leases, returns and ids. */
export function spy() {
  const log = [];
  globalThis.log = log;
  /** The app got an id; called in the same task. */
  globalThis.note = (id) => {
    if (id !== undefined) {
      const [, tag, number] = /^(\w+)\/(\d+)-\w+$/.exec(id);
      log.push({ kind: "id", tag, number: Number(number) });
    }
    return id;
  };
  let count = 0;
  const numbers = new WeakMap();
  const read = new Map();
  const parked = (text) => {
    if (typeof text !== "string" || !text.startsWith("{")) return [];
    return JSON.parse(text).parked.map(([low, high]) => [low, high]);
  };
  const begin = IDBDatabase.prototype.transaction;
  IDBDatabase.prototype.transaction = function (stores, mode, options) {
    const made = begin.call(this, stores, mode, options);
    const transaction = ++count;
    numbers.set(made, transaction);
    log.push({ kind: "begin", transaction, mode, durability: options?.durability });
    made.addEventListener("complete", () => log.push({ kind: "complete", transaction }));
    return made;
  };
  const get = IDBObjectStore.prototype.get;
  IDBObjectStore.prototype.get = function (key) {
    const request = get.call(this, key);
    request.addEventListener("success", () =>
      read.set(`${numbers.get(this.transaction)} ${key}`, request.result),
    );
    return request;
  };
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (text, key) {
    const transaction = numbers.get(this.transaction);
    const before = parked(read.get(`${transaction} ${key}`));
    if (text.startsWith("{"))
      log.push({ kind: "put", tag: JSON.parse(key).at(-1), transaction, before, after: parked(text) });
    return put.call(this, text, key);
  };
  const { fetch } = globalThis;
  globalThis.fetch = async (url, init) => {
    const body =
      init?.body === undefined
        ? ""
        : typeof init.body === "string"
          ? init.body
          : new TextDecoder().decode(init.body);
    if (body.includes('"PATCH"'))
      for (const { Id, Patch } of JSON.parse(body).Commands)
        log.push({
          kind: "return",
          tag: Id.split("/").at(-1),
          low: Patch.Values.last + 1,
          high: Patch.Values.high,
        });
    const response = await fetch(url, init);
    if (body.includes("hilo/next")) {
      const entry = { kind: "lease", tag: /tag=(\w+)/.exec(body)[1], low: 0, high: -1 };
      log.push(entry);
      const text = await response.clone().text();
      entry.low = Number(/"Low":(\d+)/.exec(text)?.[1]);
      entry.high = Number(/"High":(\d+)/.exec(text)?.[1]);
    }
    return response;
  };
}

const holds = (ranges, number) => ranges.some(([low, high]) => low <= number && number <= high);

/**
 * The violations in a log: a number from the pool may be used or returned only after the strict transaction that took
 * it out is complete; a leased number only after the strict transaction that admitted it.
 */
export function violations(log) {
  const wrong = [];
  const durable = (transaction, from, to) =>
    log.some(
      (entry, at) => entry.transaction === transaction && entry.durability === "strict" && at >= from,
    ) && log.some((entry, at) => entry.transaction === transaction && entry.kind === "complete" && at < to);
  const check = (tag, number, to, what) => {
    const before = log.slice(0, to).filter((entry) => [tag, undefined].includes(entry.tag));
    const last = before.findLast(
      ({ kind, before, after }) => kind === "put" && (holds(before, number) || holds(after, number)),
    );
    if (last) {
      if (holds(last.after, number)) wrong.push(`${what} ${number}: it is in the pool`);
      else if (!durable(last.transaction, 0, to))
        wrong.push(`${what} ${number}: before its take-out was durable`);
      return;
    }
    const lease = before.findLast(
      ({ kind, low, high }) => kind === "lease" && low <= number && number <= high,
    );
    if (lease === undefined) return wrong.push(`${what} ${number}: from nowhere`);
    const admitted = before.some(
      ({ kind, transaction }) => kind === "put" && durable(transaction, log.indexOf(lease), to),
    );
    if (!admitted) wrong.push(`${what} ${number}: before its admission was durable`);
  };
  log.forEach(({ kind, tag, number, low, high }, at) => {
    if (kind === "id") check(tag, number, at, "issued");
    if (kind === "return") for (let each = low; each <= high; each++) check(tag, each, at, "sent back");
  });
  return wrong;
}

/** How many take-outs a log has, and how many of all transactions requested strict durability. */
export function tally(log) {
  const shrinks = ({ kind, before, after }) =>
    kind === "put" && before.some(([low, high]) => !holds(after, low) || !holds(after, high));
  return {
    takeOuts: log.filter(shrinks).length,
    strict: log.filter(({ durability }) => durability === "strict").length,
    returns: log.filter(({ kind }) => kind === "return").length,
    ids: log.filter(({ kind }) => kind === "id").length,
  };
}
