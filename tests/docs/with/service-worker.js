import assert from "node:assert/strict";
import { existsSync } from "node:fs";

let installing;
let cached;
let claimed;
globalThis.self = {
  addEventListener: (name, listener) =>
    listener({
      waitUntil: (promise) => {
        if (name === "install") installing = promise;
        else claimed = promise;
      },
    }),
  clients: { claim: async () => true },
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
assert.equal(await claimed, true);
const module = cached.find((file) => file.endsWith(".wasm"));
assert.ok(existsSync(new URL(`.${module}`, import.meta.url)), module);
