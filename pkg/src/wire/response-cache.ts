// Responses that may be asked for again: the server says whether one still holds (`If-None-Match`, 304), so that nothing old
// is ever shown; only its transport is saved. Bounded in bytes; the least recently used response goes first.

/** A response larger than this part of the cache is not kept: it would drive out everything else. */
const PART = 4;

/** Bytes that come out of the cache, which their reader can tell from bytes that just came. */
export type KeptBytes = Uint8Array & { isKept?: boolean };

interface Entry {
  etag: string;
  bytes: KeptBytes;
  /** Of the database. */
  incarnation: string | undefined;
  /** Bytes that the entry takes. */
  size: number;
}

export class Cache {
  #limit: number;
  #size = 0;
  #entries = new Map<string, Entry>();

  /** `limit`: bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The key of a request whose response can be kept; `undefined` of any other. */
  key(method: string, url: string, body: string | undefined): string | undefined {
    // Never what ids depend on: where a folder was restored, change vectors repeat in the same incarnation.
    if (/(Raven|Replication)(%2F|\/)Hilo/i.test(url)) return;
    if (method === "GET" && /\/docs\?/.test(url)) return url;
    if (!url.endsWith("/queries")) return;
    return body?.includes('"DisableCaching":true') ? undefined : `${url}\n${body}`;
  }

  /** What is kept of a request in this incarnation of the database: after a restore, change vectors repeat. */
  find(key: string, incarnation: string | undefined): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry?.incarnation !== incarnation || !entry) return;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  get numberOfItems(): number {
    return this.#entries.size;
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.#drop(key);
  }

  keep(key: string, etag: string, bytes: Uint8Array, incarnation: string | undefined): void {
    this.#drop(key);
    const size = bytes.length + 2 * key.length;
    if (size > this.#limit / PART) return;
    const kept = Object.assign(bytes.subarray(), { isKept: true });
    // A proxy that compresses a response makes its ETag weak; RavenDB compares the value alone.
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

  #drop(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
