// Ids alone, in browsers and their workers: the module is fetched and compiled as it arrives.

import { glueOf } from "../../../gen/raven_edge.js";
import { Parking } from "../../device/page-events-and-tabs.js";
import { IdStore } from "../../numbers/id-store.js";
import { fetched } from "../../runtime/fetch-module.js";
import { provideLoaders } from "../../runtime/load-part.js";
import { SharedRuntime } from "../../runtime/shared-runtime.js";
import { assertSendable } from "../../wire/forbidden-ports.js";

// In this form bundlers find the file and move it along.
const load = () => fetched(() => new URL("../../../gen/raven_edge_hilo_bg.wasm", import.meta.url));

const platform = { Parking, assertSendable };
const runtime = new SharedRuntime(glueOf("hilo"), load, platform);

provideLoaders({ sources: () => import("../../core/other-sources.js") });

export class HiLoStore extends runtime.of(IdStore) {}

export { RavenEdgeError } from "../../common/error.js";
export { version } from "../../common/version.js";
export { HiLo } from "../../numbers/hilo.js";
