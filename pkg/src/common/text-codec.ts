// Converts text to bytes and back. All parts share one encoder and decoder, because each new one delays the start of a Worker.

/** The decoder is replaced after this many bytes: Safari 16 to 18.4 throw once a decoder has decoded 2 GB. */
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
