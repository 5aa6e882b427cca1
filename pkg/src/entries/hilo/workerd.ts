// Ids alone, in Cloudflare Workers: the module is part of the upload, compiled already. Nothing here is asynchronous, because no
// request may wait for a promise of another one.

import { glue } from "../../../gen/raven_edge_hilo_worker.js";
import module from "../../../gen/raven_edge_hilo_worker_bg.wasm";
import { IdStore } from "../../numbers/id-store.js";
import type { Glue } from "../../runtime/core.js";
import { provideLoaders } from "../../runtime/load-part.js";
import { Runtime } from "../../runtime/runtime.js";

// Border to generated code: the classes are those of a module without sessions, of which ids call nothing.
const runtime = new Runtime(glue as unknown as Glue, () => module);

provideLoaders({ sources: () => import("../../core/other-sources.js") });

export class HiLoStore extends runtime.of(IdStore) {}

export { RavenEdgeError } from "../../common/error.js";
export { version } from "../../common/version.js";
export { HiLo } from "../../numbers/hilo.js";
