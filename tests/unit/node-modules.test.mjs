// What an import of the package costs in Node.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const entry = (name) => new URL(`../../pkg/lib/entries/${name}`, import.meta.url).href;

/** The modules of Node that a fresh process loads for this file. */
function loadedFor(file) {
  const program = `
    const before = new Set(process.moduleLoadList);
    await import(${JSON.stringify(file)});
    console.log(process.moduleLoadList.filter((name) => !before.has(name)).join());`;
  const args = ["--input-type=module", "--eval", program];
  return execFileSync(process.execPath, args, { encoding: "utf8" });
}

for (const name of ["node.js", "node.cjs", "session/node.js", "hilo/node.js"])
  test(`an import of ${name} loads neither streams nor sockets of Node`, () => {
    assert.doesNotMatch(loadedFor(entry(name)), /NativeModule (stream|net|tls|https?)\b/);
  });
