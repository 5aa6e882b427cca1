// One decoder for all responses, and engines in which each may only decode so much.
import assert from "node:assert/strict";
import { test } from "node:test";

test("no decoder of text decodes more than 1 GB, where Safari throws after 2 GB", async () => {
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
    const { decoder } = await import("../../pkg/hot/text.js?decoders");
    for (let i = 0; i < 10; i++) decoder.decode({ byteLength: 2 ** 28 });
  } finally {
    globalThis.TextDecoder = original;
  }
  assert.deepEqual(decoded, [2 ** 30, 2 ** 30, 2 ** 29]);
});
