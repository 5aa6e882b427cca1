// Cloudflare Workers: the module is part of the upload, compiled already. Nothing here is asynchronous, because no
// request may wait for a promise of another one.

import { glue } from "../../../gen/raven_edge_worker.js";
import module from "../../../gen/raven_edge_worker_bg.wasm";
import type { Glue } from "../../runtime/core.js";
import { Runtime } from "../../runtime/runtime.js";

// Border to generated code: in Workers the classes are those of a module without parked numbers.
export const runtime = new Runtime(glue as unknown as Glue, () => module);
