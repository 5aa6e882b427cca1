// Answers that may be asked for again: the server says whether one still holds (`If-None-Match`, 304), so that nothing old
// is ever shown; what is saved is its transport. Bounded in bytes; what was not used for the longest time goes first.

/** An answer larger than this part of the cache is not kept: it would drive out everything else. */
const PART = 4;

export class Cache {
  #limit;
  #size = 0;
  #entries = new Map();

  /** `limit`: bytes. */
  constructor(limit) {
    this.#limit = limit;
  }

  /** The name of a request whose answer can be kept; `undefined` of any other. */
  key(method, url, body) {
    // Never what ids depend on: where a folder was put back, change vectors repeat in the same incarnation.
    if (/(Raven|Replication)(%2F|\/)Hilo/i.test(url)) return;
    if (method === "GET" && /\/docs\?/.test(url)) return url;
    if (!url.endsWith("/queries")) return;
    return body.includes('"DisableCaching":true') ? undefined : `${url}\n${body}`;
  }

  /** What is known of a request's answer in this incarnation of the database: after a restore, change vectors repeat. */
  find(key, incarnation) {
    const entry = this.#entries.get(key);
    if (entry?.incarnation !== incarnation) return;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  get numberOfItems() {
    return this.#entries.size;
  }

  clear() {
    for (const key of this.#entries.keys()) this.#drop(key);
  }

  keep(key, etag, bytes, incarnation) {
    this.#drop(key);
    const size = bytes.length + 2 * key.length;
    if (size > this.#limit / PART) return;
    // Whoever reads it tells what is kept from what was just made.
    const kept = Object.assign(bytes.subarray(), { isKept: true });
    // What a proxy compresses it makes weak; RavenDB compares the value alone.
    this.#entries.set(key, {
      etag: etag.replace(/^W\//, "").replaceAll('"', ""),
      bytes: kept,
      incarnation,
      size,
    });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit) return;
      this.#drop(oldest);
    }
  }

  #drop(key) {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
