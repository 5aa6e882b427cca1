// Text to bytes and back: one pair for all, because each `TextDecoder` that is made delays the start of a Worker.

/** Bytes. Safari 16 to 18.4 throw when one decoder has decoded 2 GB: it is replaced after this many. */
const LIMIT = 2 ** 30;

let current = new TextDecoder();
let decoded = 0;

export const decoder = {
  decode(bytes: Uint8Array): string {
    decoded += bytes.byteLength;
    if (decoded > LIMIT) {
      current = new TextDecoder();
      decoded = bytes.byteLength;
    }
    return current.decode(bytes);
  },
};
export const encoder = new TextEncoder();
