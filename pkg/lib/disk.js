// A module that is read from the disk, at once.

import { readFileSync } from "node:fs";
import { decoded } from "./fetched.js";

/** `inline` imports the module's text, for where a bundler left the file behind. */
export function read(url, inline) {
  try {
    return readFileSync(url);
  } catch {
    return inline().then(({ default: text }) => WebAssembly.compile(decoded(text)));
  }
}
