// Makes this process's WebAssembly instance trap: calls its exports with invalid pointers.

import * as node from "../../pkg/gen/raven_edge.js";
import * as worker from "../../pkg/gen/raven_edge_worker.js";

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";
const glue = isWorker ? worker.glue : node.glueOf("whole");

let deaths = 0;
glue.onDeath(() => deaths++);

/** Arguments for exports; the first that gets through the glue into the module makes it trap. */
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

/** All exported methods: `[name, entry(pointer)]`. */
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

/** Kills the instance through an export; without one, through the first that succeeds. */
export function kill(entry, pointer = 0) {
  const before = deaths;
  for (const [, call] of entry ? [["", entry]] : entries) {
    for (const values of ARGUMENTS) {
      try {
        call(pointer, values);
      } catch {
        // Only matters whether the gate noticed it.
      }
      if (deaths > before) return;
    }
  }
  throw new Error("the instance survived");
}
