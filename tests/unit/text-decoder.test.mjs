// All responses share a text decoder, which is replaced before it reaches Safari's limit.
import assert from "node:assert/strict";
import { test } from "node:test";

test("a text decoder is replaced after 1 GB, because Safari's throws after 2 GB", async () => {
  const original = globalThis.TextDecoder;
  const decoded = [];
  globalThis.TextDecoder = class {
    #at = decoded.push(0) - 1;
    decode(bytes) {
      decoded[this.#at] += bytes.byteLength;
      return "";
    }
  };
  try {
    const { decoder } = await import("../../pkg/dist/common/text-codec.js?decoders");
    for (let i = 0; i < 10; i++) decoder.decode({ byteLength: 2 ** 28 });
  } finally {
    globalThis.TextDecoder = original;
  }
  assert.deepEqual(decoded, [2 ** 30, 2 ** 30, 2 ** 29]);
});
