// Node, Deno and Bun: the module lies in the package and is read synchronously.

import { glueOf } from "../../../gen/raven_edge.js";
import { read } from "../../runtime/read-module.js";
import type { Platform, Runtime } from "../../runtime/runtime.js";
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
