// What comparisons of sets read of RavenDB, shared by the requests of an isolate. A request that waits for another's promise would hang in
// workerd, so it looks again after a moment.

/** The most bytes that stay in memory. */
export const MOST = 8_000_000;
/** How often a request looks for what another one reads, and how long it waits between, in milliseconds. */
const LOOKS = 200;
const MOMENT = 20;
const ETAGS = /"(ResultEtag|NodeTag)":[^,}]+/g;
const INCARNATION = "database-cluster-tx-id";

/** One read. */
export interface Shared {
  /** When it began, in the order of requests: the clock of workerd stands still. */
  turn: number;
  headers: string[];
  /** The response; absent while it is read. */
  pieces?: Uint8Array[];
}

const reads = new Map<string, Shared>();
let turns = 0;

/** A request has come: reads that begin from now on are as new as it needs. */
export const nextTurn = (): number => ++turns;

/** What another request has read since `turn`; or a read that has no response yet: the caller has to read itself. */
export async function sharedRead(key: string, turn: number): Promise<Shared> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const found = reads.get(key);
    if (!found || (found.pieces && found.turn < turn)) break;
    if (found.pieces) return found;
    await new Promise((resolve) => setTimeout(resolve, MOMENT));
  }
  const own: Shared = { turn: nextTurn(), headers: [] };
  reads.delete(key);
  reads.set(key, own);
  return own;
}

/** What RavenDB's ETags are about: equal texts mean equal results. Empty while an index is stale. */
export function etagsIn(bytes: Uint8Array, headers: string[]): string {
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('"IsStale":false') || text.includes('"IsStale":true')) return "";
  return [headers[headers.indexOf(INCARNATION) + 1], ...(text.match(ETAGS) ?? [])].join();
}

/** Keeps what was read, or forgets the read if it has failed. */
export function readEnded(key: string, read: Shared): void {
  if (!read.pieces && reads.get(key) === read) reads.delete(key);
  let bytes = 0;
  for (const [of, { pieces = [] }] of [...reads].reverse()) {
    for (const { length } of pieces) bytes += length;
    if (bytes > MOST) reads.delete(of);
  }
}
