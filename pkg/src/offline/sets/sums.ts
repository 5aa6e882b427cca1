// What a device has of a set, in 2,560 bytes. The twin of `src/offline/sets/sums.rs`, which has the reasons; `tests/twin` compares them.

import { idKey } from "../../common/id-key.js";
import { type HashKey, sipHash, type Word } from "./sip-hash.js";

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

  /** Adds a document. */
  add({ bucket, version: [low, high] }: Hashes): void {
    const at = bucket * BUCKET_BYTES;
    const view = this.#view;
    view.setUint16(at, view.getUint16(at, true) + 1, true);
    const sum = view.getUint32(at + 2, true) + low;
    view.setUint32(at + 2, sum, true);
    view.setUint32(at + 6, view.getUint32(at + 6, true) + high + (sum > 0xffffffff ? 1 : 0), true);
  }

  /** Removes a document that was added. */
  remove({ bucket, version: [low, high] }: Hashes): void {
    const at = bucket * BUCKET_BYTES;
    const view = this.#view;
    view.setUint16(at, view.getUint16(at, true) - 1, true);
    const sum = view.getUint32(at + 2, true) - low;
    view.setUint32(at + 2, sum, true);
    view.setUint32(at + 6, view.getUint32(at + 6, true) - high - (sum < 0 ? 1 : 0), true);
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
