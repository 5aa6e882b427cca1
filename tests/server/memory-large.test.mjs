// Large documents: their texts never enter WebAssembly memory, which cannot shrink, and a save holds few copies of
// them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const program = fileURLToPath(new URL("./memory-large.mjs", import.meta.url));
const MEGABYTE = 1024 * 1024;

for (const [count, megabytes] of [
  [64, 1],
  [1, 30],
]) {
  test(`${count} documents of ${megabytes} MB are saved and loaded without growth of WebAssembly's memory`, async (t) => {
    const given = [program, String(count), String(megabytes * MEGABYTE)];
    const { stdout } = await promisify(execFile)(process.execPath, given);
    const { wasm, saved, body, capped } = JSON.parse(stdout);
    t.diagnostic(`wasm ${wasm} bytes more, the process ${(saved / body).toFixed(1)} times the body`);
    assert.ok(capped);
    assert.ok(wasm <= MEGABYTE, `${wasm} bytes`);
    assert.ok(saved <= 4 * body, `${saved} bytes for a body of ${body}`);
  });
}
