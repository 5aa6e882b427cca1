// Vercel's edge runtime and its like: the module is compiled when the app is built, because nothing may be compiled later.

import { glue } from "../../../gen/raven_edge_worker.js";
import module from "../../../gen/raven_edge_worker_bg.wasm?module";
import type { Glue } from "../../runtime/core.js";
import { Runtime } from "../../runtime/runtime.js";
import { assertSendable } from "../../wire/forbidden-ports.js";

// Border to generated code: in Workers the classes are those of a module without parked numbers.
export const runtime = new Runtime(glue as unknown as Glue, () => module, { assertSendable });
