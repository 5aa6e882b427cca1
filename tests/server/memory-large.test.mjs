// Large documents and large saves: texts never enter WebAssembly memory, which cannot shrink, and a save holds few copies of them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const program = fileURLToPath(new URL("./memory-large.mjs", import.meta.url));
const MEGABYTE = 1024 * 1024;

/** Bytes of WebAssembly memory per document that the core decides about: a few numbers. */
const PER_DOCUMENT = 32;

/** What the process needs besides texts: code that runs for the first time, the heap's own growth. */
const OWN = 6 * MEGABYTE;

for (const [count, bytes, copies] of [
  [64, MEGABYTE, 4],
  [1, 30 * MEGABYTE, 4],
  // With the response, and the entities' place in the session.
  [100_000, 400, 6],
]) {
  test(`saving ${count} documents of ${bytes} bytes takes at most ${copies} times the memory of the request's body`, async (t) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, String(count), String(bytes)]);
    const { wasm, saved, body, capped } = JSON.parse(stdout);
    t.diagnostic(`wasm ${wasm} bytes more, the process ${(saved / body).toFixed(1)} times the body`);
    assert.ok(capped);
    assert.ok(wasm <= MEGABYTE + PER_DOCUMENT * count, `${wasm} bytes`);
    assert.ok(saved <= copies * body + OWN, `${saved} bytes for a body of ${body}`);
  });
}
