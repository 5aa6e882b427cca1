// Loads an optimised module with its glue and calls it: what the optimiser broke shows here, not in a browser.
// usage: smoke.mjs GLUE WASM; prints what `version()` says, or the names of what the module exports.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [gluePath, wasmPath] = process.argv.slice(2);
const glue = await import(pathToFileURL(gluePath).href);
glue.initSync({ module: await readFile(wasmPath) });
if (glue.version) {
  console.log(`version() = ${glue.version()}`);
} else {
  const names = Object.keys(glue).filter((name) => name !== "initSync" && name !== "default");
  console.log(`instantiated, exports: ${names.join(", ") || "none"}`);
}
