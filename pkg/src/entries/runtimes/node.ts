// Node, Deno and Bun: the module lies in the package and is read synchronously.

import { glueOf } from "../../../gen/raven_edge.js";
import type { ImportInline } from "../../runtime/fetch-module.js";
import type { Platform } from "../../runtime/platform.js";
import type { Runtime } from "../../runtime/runtime.js";
import { SharedRuntime } from "../../runtime/shared-runtime.js";
import { connect } from "../../wire/client-certificate.js";
import { assertSendable } from "../../wire/forbidden-ports.js";

const load = () =>
  read(
    () => new URL("../../../gen/raven_edge_bg.wasm", import.meta.url),
    () => import("../../../gen/inline.js"),
  );

/** `more`: what entries with sessions have. Entries of one `instance` share it, and its death. */
export const runtimeWith = (more: Platform, instance = "whole"): Runtime =>
  new SharedRuntime(glueOf(instance), load, { assertSendable, connect, ...more });

/** The bytes of the module; `inline` is called if a bundler left the file behind, or made CommonJS, where no module has a URL. */
export function read(url: () => URL, inline: ImportInline): BufferSource | Promise<WebAssembly.Module> {
  try {
    // An import of `node:fs` would also load the streams of Node.
    return process.getBuiltinModule("node:fs").readFileSync(url());
  } catch {
    return inline().then(async ({ default: unpacked }) => WebAssembly.compile(await unpacked()));
  }
}
