// What the optional peer `@tanstack/db` must have.

import * as tanstack from "@tanstack/db";
import { fail } from "../common/error.js";

/** The functions that are used. Named imports that another version lacks would be an error of the module loader, without a reason. */
export function peer(): { BTreeIndex: unknown; deepEquals: (one: unknown, other: unknown) => boolean } {
  const { BTreeIndex, deepEquals } = tanstack;
  if (typeof BTreeIndex !== "function" || typeof deepEquals !== "function")
    fail(
      "Unsupported",
      "raven-edge/tanstack-db needs @tanstack/db 0.15: the version that is installed lacks what it uses",
    );
  return { BTreeIndex, deepEquals };
}
