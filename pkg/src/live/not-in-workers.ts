// In place of the code for changes in Workers, which pay for each byte that they upload.

import { fail } from "../common/error.js";

export function changesOf(): never {
  fail("Unsupported", "a Worker cannot keep a connection beyond a request: listen in pages or in Node");
}

export const watch = changesOf;
