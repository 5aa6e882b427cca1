// For `main.rs`: the code point of the key of each code point, as numbers of 32 bits. What stands beside a letter must not
// make a difference to it, nor may a key be longer than the id.
import { writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// From the sources: this runs before anything is built.
const source = fileURLToPath(new URL("../../pkg/src/common/id-key", import.meta.url));
const { outputFiles } = await build({ entryPoints: [source], bundle: true, format: "esm", write: false });
const { idKey } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

const BESIDE = [
  ["a", "a"],
  ["ασ", ""],
  ["", "\u0307"],
  ["\ud800", "a"],
];

const points = new Uint32Array(0x110000);
for (let point = 0; point < points.length; point++) {
  const letter = String.fromCodePoint(point);
  const key = idKey(letter);
  if (key.length !== letter.length) throw new Error(`the length of the key of ${JSON.stringify(letter)}`);
  points[point] = key.codePointAt(0);
  // Letters of two units have no case.
  if (letter.length > 1) continue;
  for (const [before, after] of BESIDE) {
    if (idKey(before + letter + after) !== before + key + after)
      throw new Error(`${JSON.stringify(letter)} between ${JSON.stringify([before, after])}`);
  }
  if (idKey(`A${letter}Σ`) !== `a${key}σ`)
    throw new Error(`the key of ${JSON.stringify(letter)} and a sigma`);
}
const bytes = new Uint8Array(points.buffer);
for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
