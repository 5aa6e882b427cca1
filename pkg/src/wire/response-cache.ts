// A cache of responses. Each is used only after the server has confirmed that it is current (`If-None-Match`, 304), so outdated data is
// never shown; the cache saves the transfer. Its size is limited in bytes; the least recently used response is removed first.

/** A response that is larger than one fourth of the cache is not kept: it would displace most others. */
const PART = 4;

/** The bytes of a response; `isKept`: they come from the cache. */
export type KeptBytes = Uint8Array & { isKept?: boolean };

export interface KeptResponse {
  etag: string;
  bytes: KeptBytes;
  /** The incarnation of the database. */
  incarnation: string | undefined;
  /** Bytes of memory. */
  size: number;
}

export class Cache {
  #limit: number;
  #size = 0;
  #entries = new Map<string, KeptResponse>();

  /** `limit`: bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The key of a request; `undefined` if its response must not be kept. */
  key(method: string, url: string, body: string | undefined): string | undefined {
    // Counters are never cached, because ids depend on them: if a data folder was restored, change vectors repeat in the same incarnation.
    if (/(Raven|Replication)(%2F|\/)Hilo/i.test(url)) return;
    if (method === "GET" && /\/docs\?/.test(url)) return url;
    if (!/\/queries(\/named\/[^/]+)?$/.test(url)) return;
    return body?.includes('"DisableCaching":true') ? undefined : `${url}\n${body}`;
  }

  /** The kept response to a request, if it is of this incarnation of the database: in another one change vectors repeat. */
  find(key: string, incarnation: string | undefined): KeptResponse | undefined {
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
    this.#entries.set(key, { etag, bytes: kept, incarnation, size });
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
