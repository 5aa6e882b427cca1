// Ids alone, in Vercel's edge runtime and its like: the module is compiled when the app is built, for nothing may be compiled later.

import { glue } from "../../../gen/raven_edge_hilo_worker.js";
import module from "../../../gen/raven_edge_hilo_worker_bg.wasm?module";
import { IdStore } from "../../numbers/id-store.js";
import type { Glue } from "../../runtime/core.js";
import { provideLoaders } from "../../runtime/load-part.js";
import { Runtime } from "../../runtime/runtime.js";
import { assertSendable } from "../../wire/forbidden-ports.js";

// Border to generated code: the classes are those of a module without sessions, of which ids call nothing.
const runtime = new Runtime(glue as unknown as Glue, () => module, { assertSendable });

provideLoaders({ sources: () => import("../../core/other-sources.js") });

export class HiLoStore extends runtime.of(IdStore) {}

export { RavenEdgeError } from "../../common/error.js";
export { version } from "../../common/version.js";
export { HiLo } from "../../numbers/hilo.js";
