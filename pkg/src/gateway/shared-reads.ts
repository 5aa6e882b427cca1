// What comparisons of sets read of RavenDB, shared by the requests of an isolate: pages that follow one set ask at the same time. A request
// that waited for another's promise would hang in workerd, so it looks again after a moment.

/** The most bytes that stay in memory, of each read as well. */
export const MOST = 8_000_000;
/** What a read takes beside its bytes. */
const OVERHEAD = 1_000;
/** In milliseconds: how long a request waits before it looks again, and for what another one reads; the least time between two reads. */
const MOMENT = 20;
const PATIENCE = 4_000;
const PAUSE = 50;
/** A comparison's path. */
const COMPARISON = /^[^?]*\/queries\/named\/[^/?]+\/sync$/;
const ETAGS = /"(ResultEtag|NodeTag)":[^,}]+/g;
const INCARNATION = "database-cluster-tx-id";

/** One read. */
export interface SharedRead {
  key: string;
  /** When it began, in the order of requests: of several in one millisecond, too. */
  order: number;
  begun: number;
  headers: string[];
  /** The response; absent while it is read. Empty: it is too large to be shared. */
  pieces?: Uint8Array[] | undefined;
}

/** The reads of a gateway. */
export class SharedReads {
  /** The newest read of each key, oldest first. */
  readonly #reads = new Map<string, SharedRead>();
  #orders = 0;

  /** A comparison begins: reads that begin from now on are as new as it needs. 0: it is another request. */
  orderOf(url: string): number {
    return COMPARISON.test(url) ? ++this.#orders : 0;
  }

  /** What another request has read since `order`; or a read without a response: the caller reads, and calls {@link ended}. */
  async find(key: string, order: number, signal: AbortSignal): Promise<SharedRead> {
    const came = Date.now();
    for (;;) {
      const found = this.#reads.get(key);
      const now = Date.now();
      if (!found || now - came > PATIENCE) break;
      const isNew = found.order >= order;
      if (found.pieces && isNew) {
        if (found.pieces.length > 0) return found;
        return { key: "", order, begun: now, headers: [] };
      }
      if (found.pieces && now - found.begun >= PAUSE) break;
      await new Promise((resolve) => setTimeout(resolve, MOMENT));
      signal.throwIfAborted();
    }
    const own: SharedRead = { key, order: ++this.#orders, begun: Date.now(), headers: [] };
    this.#reads.delete(key);
    this.#reads.set(key, own);
    return own;
  }

  /** Keeps what was read; without `pieces`, the read has failed. */
  ended(read: SharedRead, headers: string[] = [], pieces?: Uint8Array[]): void {
    if (this.#reads.get(read.key) !== read) return;
    Object.assign(read, { headers, pieces });
    if (!pieces) this.#reads.delete(read.key);
    let left = MOST;
    for (const { key, pieces } of [...this.#reads.values()].reverse()) {
      left -= (pieces ?? []).reduce((sum, { length }) => sum + length, OVERHEAD);
      if (left < 0) this.#reads.delete(key);
    }
  }
}

/** What RavenDB's ETags are about: equal texts mean equal results. Empty while an index is stale. */
export function etagsIn(bytes: Uint8Array, headers: string[]): string {
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('"IsStale":false') || text.includes('"IsStale":true')) return "";
  return [headers[headers.indexOf(INCARNATION) + 1], ...(text.match(ETAGS) ?? [])].join();
}
