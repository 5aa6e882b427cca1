import assert from "node:assert/strict";
import { existsSync } from "node:fs";

let installing;
let cached;
globalThis.self = {
  addEventListener: (_, listener) =>
    listener({
      waitUntil: (promise) => {
        installing = promise;
      },
    }),
};
globalThis.caches = {
  open: async () => ({
    addAll: (files) => {
      cached = files;
    },
  }),
};
// the block
await installing;
const module = cached.find((file) => file.endsWith(".wasm"));
assert.ok(existsSync(new URL(`.${module}`, import.meta.url)), module);
