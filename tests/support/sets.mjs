// What a device says of a set, for tests of the gateway's comparisons: the twin of the gateway's hashes, from the sources.
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const entry = fileURLToPath(new URL("../../pkg/src/offline/sets/sums.ts", import.meta.url));
const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false });
const text = encodeURIComponent(outputFiles[0].text);
export const { Sums, hashesOf, keyOf } = await import(`data:text/javascript,${text}`);

const base64 = (bytes) => Buffer.from(bytes).toString("base64url");

/** What a device has: change vectors by id. */
export class DeviceSet {
  key = randomBytes(16);
  versions = new Map();
  etag = null;

  /** The body of a comparison. */
  body(parameters = {}) {
    const own = keyOf(this.key);
    const sums = new Sums();
    for (const [id, vector] of this.versions) sums.add(hashesOf(own, id, vector));
    return { Parameters: parameters, Etag: this.etag, Key: base64(this.key), Sums: base64(sums.bytes) };
  }

  /** Takes a response as if each document was loaded in the version that it lists; returns ids that differ. */
  take({ Same, Etag, Differing = [] }) {
    if (Same) return [];
    this.etag = Etag;
    const own = keyOf(this.key);
    const buckets = new Map(Differing.map(([bucket, ...pairs]) => [bucket, pairs]));
    const differing = new Set();
    for (const [id, vector] of this.versions) {
      const pairs = buckets.get(hashesOf(own, id, vector).bucket);
      if (!pairs || pairs.some((value, at) => at % 2 === 0 && value === id)) continue;
      this.versions.delete(id);
      differing.add(id);
    }
    for (const pairs of buckets.values())
      for (let at = 0; at < pairs.length; at += 2) {
        const [id, vector] = pairs.slice(at, at + 2);
        if (this.versions.get(id) !== vector) differing.add(id);
        this.versions.set(id, vector);
      }
    return [...differing].sort();
  }
}
