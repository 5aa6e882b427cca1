// Node, Deno and Bun: the module lies in the package and is read synchronously. Each entry says where, because bundlers look for its
// address in modules, and the code that the entries share is CommonJS.

import { glueOf } from "../../../gen/raven_edge.js";
import type { read } from "../../runtime/read-module.js";
import { type Platform, Runtime } from "../../runtime/runtime.js";
import { connect } from "../../wire/client-certificate.js";

/** `node`: Node's own streams, which entries with queries have. Entries of one `instance` share it, and its death. */
export const runtimeWith = (
  load: () => ReturnType<typeof read>,
  node?: Platform["node"],
  instance = "whole",
): Runtime => new Runtime(glueOf(instance), load, { connect, ...(node && { node }) });
