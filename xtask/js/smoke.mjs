// Loads an optimised module with its glue and calls it, so that damage by the optimiser shows here and not in a
// browser. Usage: smoke.mjs GLUE WASM. Prints the module's version, and what was called or is exported.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [gluePath, wasmPath] = process.argv.slice(2);
const imported = await import(pathToFileURL(gluePath).href);
const glue = imported.glueOf?.(wasmPath) ?? imported.glue ?? imported;
const module = new WebAssembly.Module(await readFile(wasmPath));
const [section] = WebAssembly.Module.customSections(module, "version");
const version = new TextDecoder().decode(section);
glue.initSync({ module });
if (glue.Store) {
  const store = new glue.Store({}, 15_000, false, 0, true, true);
  store.add(0);
  store.free();
  console.log(`${version}, a store is made and freed`);
} else {
  const names = Object.keys(glue).filter((name) => name !== "initSync" && name !== "default");
  console.log(`${version}, exports: ${names.join(", ") || "none"}`);
}
