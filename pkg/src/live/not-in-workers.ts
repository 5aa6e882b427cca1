// Replaces the code for changes in the builds for Workers, which cannot use it and whose upload size is limited.

import { fail } from "../common/error.js";

export function changesOf(): never {
  fail("Unsupported", "a Worker cannot keep a connection beyond a request: listen in pages or in Node");
}

export const watch = changesOf;
