// Answers that may be asked for again: the server says whether one still holds (`If-None-Match`, 304), so that nothing old
// is ever shown; what is saved is its transport. Bounded in bytes; what was not used for the longest time goes first.

import { decoder, encoder } from "../hot/text.js";

/** An answer larger than this part of the cache is not kept: it would drive out everything else. */
const PART = 4;

/** The kept answer to a query as it is told once more: it took the server no time, which npm `ravendb` says by -1. */
function again(bytes) {
  // Documents come behind the first bracket, and of them nothing is touched.
  const end = bytes.indexOf(0x5b);
  const head = decoder.decode(bytes.subarray(0, end)).replace(/("DurationInMs":)\d+/, "$1-1");
  const said = encoder.encode(head);
  const rest = bytes.subarray(end);
  const all = new Uint8Array(said.length + rest.length);
  all.set(said);
  all.set(rest, said.length);
  return all;
}

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

  keep(key, etag, bytes, incarnation) {
    this.#drop(key);
    const size = bytes.length + 2 * key.length;
    if (size > this.#limit / PART) return;
    const entry = {
      etag: etag.replaceAll('"', ""),
      incarnation,
      size,
      // A query has its body in the key.
      get bytes() {
        return key.includes("\n") ? again(bytes) : bytes;
      },
    };
    this.#entries.set(key, entry);
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
