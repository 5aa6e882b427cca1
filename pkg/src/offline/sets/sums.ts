// What a device has of a set, in 2,560 bytes, which a page keeps from one run to the next (`tests/offline-law` checks when they hold). Sums and
// hashes are the twin of `src/offline/sets/sums.rs` and `sip_hash.rs`, which have the reasons; `tests/twin` compares them.

import { idKey } from "../../common/id-key.js";
import type { KeptRecord } from "../documents/kept-records.js";
import type { OpenSet } from "./set-records.js";

/** A number of 64 bits: its lower half, its upper one. */
export type Word = readonly [low: number, high: number];

/** The four halves of a key of 16 bytes. */
type HashKey = readonly [number, number, number, number];

/** The hash of the units of a text, behind the four units of `first`, if it is given. */
function sipHash([k0, k1, k2, k3]: HashKey, text: string, first?: Word): Word {
  // Each word of the state in two halves.
  let [al, ah] = [k0 ^ 0x70736575, k1 ^ 0x736f6d65];
  let [bl, bh] = [k2 ^ 0x6e646f6d, k3 ^ 0x646f7261];
  let [cl, ch] = [k0 ^ 0x6e657261, k1 ^ 0x6c796765];
  let [dl, dh] = [k2 ^ 0x79746573, k3 ^ 0x74656462];

  const round = () => {
    let low: number;
    // a += b, b <<<= 13, b ^= a, a <<<= 32
    low = (al >>> 0) + (bl >>> 0);
    ah = (ah + bh + (low > 0xffffffff ? 1 : 0)) | 0;
    al = low | 0;
    low = (bl << 13) | (bh >>> 19);
    bh = ((bh << 13) | (bl >>> 19)) ^ ah;
    bl = low ^ al;
    [al, ah] = [ah, al];
    // c += d, d <<<= 16, d ^= c
    low = (cl >>> 0) + (dl >>> 0);
    ch = (ch + dh + (low > 0xffffffff ? 1 : 0)) | 0;
    cl = low | 0;
    low = (dl << 16) | (dh >>> 16);
    dh = ((dh << 16) | (dl >>> 16)) ^ ch;
    dl = low ^ cl;
    // a += d, d <<<= 21, d ^= a
    low = (al >>> 0) + (dl >>> 0);
    ah = (ah + dh + (low > 0xffffffff ? 1 : 0)) | 0;
    al = low | 0;
    low = (dl << 21) | (dh >>> 11);
    dh = ((dh << 21) | (dl >>> 11)) ^ ah;
    dl = low ^ al;
    // c += b, b <<<= 17, b ^= c, c <<<= 32
    low = (cl >>> 0) + (bl >>> 0);
    ch = (ch + bh + (low > 0xffffffff ? 1 : 0)) | 0;
    cl = low | 0;
    low = (bl << 17) | (bh >>> 15);
    bh = ((bh << 17) | (bl >>> 15)) ^ ch;
    bl = low ^ cl;
    [cl, ch] = [ch, cl];
  };
  const absorb = (low: number, high: number) => {
    dl ^= low;
    dh ^= high;
    round();
    round();
    al ^= low;
    ah ^= high;
  };

  if (first) absorb(first[0], first[1]);
  // Beyond the end `charCodeAt` gives NaN, which is 0 for the operators of bits.
  const half = (at: number) => text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const whole = text.length - (text.length % 4);
  for (let at = 0; at < whole; at += 4) absorb(half(at), half(at + 2));
  const bytes = 2 * (text.length + (first ? 4 : 0));
  absorb(half(whole), half(whole + 2) | (bytes << 24));
  cl ^= 0xff;
  round();
  round();
  round();
  round();
  return [(al ^ bl ^ cl ^ dl) >>> 0, (ah ^ bh ^ ch ^ dh) >>> 0];
}

export const BUCKETS = 256;
/** Bytes of a bucket: the count, then the sum, both little-endian. */
const BUCKET_BYTES = 10;

/** The hashes of a document in a version: of its id, whose lowest byte is the bucket; of id and version. */
export interface Hashes {
  bucket: number;
  version: Word;
}

/** The key of 16 bytes, as the hash uses it. */
export function keyOf(bytes: Uint8Array): HashKey {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const word = (at: number) => view.getUint32(at, true);
  return [word(0), word(4), word(8), word(12)];
}

export function hashesOf(key: HashKey, id: string, vector: string): Hashes {
  const hash = sipHash(key, idKey(id));
  return { bucket: hash[0] % BUCKETS, version: sipHash(key, canonical(vector), hash) };
}

/** A change vector in the form in which equal ones have one text: sorted, and without the tags of nodes. */
function canonical(vector: string): string {
  const pairs: string[] = [];
  for (const entry of vector.split(",")) {
    const colon = entry.indexOf(":");
    const dash = entry.indexOf("-", colon);
    if (colon >= 0 && dash > 0) pairs.push(`${entry.slice(dash + 1).trim()}-${entry.slice(colon + 1, dash)}`);
  }
  return pairs.sort().join(",");
}

/** Counts and sums of all buckets. */
export class Sums {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #view;

  constructor(bytes: Uint8Array<ArrayBuffer> = new Uint8Array(BUCKETS * BUCKET_BYTES)) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Removes a document that was added. */
  remove(hashes: Hashes): void {
    this.add(hashes, -1);
  }

  /** Adds a document. */
  add({ bucket, version: [low, high] }: Hashes, times: 1 | -1 = 1): void {
    const at = bucket * BUCKET_BYTES;
    const view = this.#view;
    view.setUint16(at, view.getUint16(at, true) + times, true);
    const sum = view.getUint32(at + 2, true) + times * low;
    view.setUint32(at + 2, sum, true);
    // The carry, or the borrow.
    const more = Math.floor(sum / 2 ** 32);
    view.setUint32(at + 6, view.getUint32(at + 6, true) + times * high + more, true);
  }

  /** The buckets in which the documents differ, ascending. */
  differing(other: Sums): number[] {
    const differs = (bucket: number) => {
      const [from, to] = [bucket * BUCKET_BYTES, (bucket + 1) * BUCKET_BYTES];
      return this.bytes.subarray(from, to).some((byte, at) => byte !== other.bytes[from + at]);
    };
    return [...Array(BUCKETS).keys()].filter(differs);
  }
}

/** What the device has of a set, as it is sent. */
export interface SentSums {
  key: Uint8Array<ArrayBuffer>;
  sums: Uint8Array<ArrayBuffer>;
}

/** Sums that hold as long as the set has as many writes. The transactions of runs keep them up to date. */
export type KnownSums = SentSums & { generation: string; writes: number };

/** Sums of all documents of a set. */
export function sumsOf(members: readonly KeptRecord[]): SentSums {
  const key = crypto.getRandomValues(new Uint8Array(16));
  const own = keyOf(key);
  const sums = new Sums();
  for (const { key: entry, vector } of members) sums.add(hashesOf(own, entry.slice(1), vector));
  return { key, sums: sums.bytes };
}

/** A transaction of a run is complete: sums that held when it began hold afterwards. `writes`: those of the set when it began. */
export function keepSums(known: KnownSums, { record, moves }: OpenSet, writes: number): void {
  if (known.writes !== writes) return;
  const own = keyOf(known.key);
  const sums = new Sums(known.sums);
  for (const [key, before, after] of moves) {
    if (before !== undefined) sums.remove(hashesOf(own, key, before));
    if (after !== undefined) sums.add(hashesOf(own, key, after));
  }
  known.writes = record.writes;
}
