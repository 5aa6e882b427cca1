// A module that is read from the disk, synchronously.

import { readFileSync } from "node:fs";
import type { ImportInline } from "./fetch-module.js";

/** The bytes of the module; `inline` is called if a bundler left the file behind, or made CommonJS, where no module has a URL. */
export function read(url: () => URL, inline: ImportInline): BufferSource | Promise<WebAssembly.Module> {
  try {
    return readFileSync(url());
  } catch {
    return inline().then(async ({ default: unpacked }) => WebAssembly.compile(await unpacked()));
  }
}
