// The TypeScript of the pages compiles with the package's types.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { blocksOf, pages } from "./blocks.mjs";
import { place, programOf } from "./run.mjs";

const options = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts"],
  types: [],
};

test("all `ts` blocks compile", { timeout: 60_000 }, async () => {
  const names = new Map();
  const blocks = pages.flatMap((page) => blocksOf(page)).filter(({ language }) => language === "ts");
  assert.ok(blocks.length > 5);
  for (const [at, block] of blocks.entries()) {
    const file = join(place.folder, `block-${at}.mts`);
    names.set(file, block.name);
    await writeFile(file, programOf(block));
  }
  const found = ts.getPreEmitDiagnostics(ts.createProgram([...names.keys()], options));
  const messages = found.map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, "\n");
    return `${names.get(file?.fileName) ?? file?.fileName}: ${text}`;
  });
  assert.deepEqual(messages, []);
});
