// Makes the WebAssembly instance of this process die: its exports are called with pointers to nothing.

import * as node from "../../pkg/gen/raven_edge.js";
import * as worker from "../../pkg/gen/raven_edge_worker.js";

const glue = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? worker : node;

let deaths = 0;
glue.onDeath(() => deaths++);

/** What an export may take; the first that gets past the glue and into the module kills it. */
const ARGUMENTS = [
  [],
  [0, 0, 0],
  ["a", "b", true],
  ["a", {}, "id"],
  [{}, "id"],
  [["a"], {}],
  [[], new Uint8Array(1)],
  [new Uint8Array(1), new Uint8Array(1), new Uint8Array(1)],
  [new Uint32Array(1), new Uint8Array(1)],
  [new Uint32Array(1), 0, undefined, false, new Uint32Array(1)],
  [0, new Uint8Array(1), undefined],
];

const SKIPPED = /^(constructor|free|__destroy_into_raw)$/;

/** Every method that the module exports: `[name, entry(pointer)]`. */
export const entries = Object.entries(glue)
  .filter(([, value]) => typeof value === "function" && value.prototype && "free" in value.prototype)
  .flatMap(([name, { prototype }]) =>
    Object.getOwnPropertyNames(prototype)
      .filter((method) => !SKIPPED.test(method))
      .map((method) => [
        `${name}.${method}`,
        (pointer, values) => prototype[method].call({ ptr: pointer }, ...values),
      ]),
  );

/** Kills the instance through an export, by default the first that does it. */
export function kill(entry, pointer = 0) {
  const before = deaths;
  for (const [, call] of entry ? [["", entry]] : entries) {
    for (const values of ARGUMENTS) {
      try {
        call(pointer, values);
      } catch {
        // Only whether the gate saw it counts.
      }
      if (deaths > before) return;
    }
  }
  throw new Error("the instance survived");
}
