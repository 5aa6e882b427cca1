// Ids alone, in browsers and their workers: the module is fetched and compiled as it arrives.

import { anotherGlue, glue } from "../../../gen/raven_edge_hilo.js";
import { Parking } from "../../device/parked-numbers.js";
import { IdStore } from "../../numbers/id-store.js";
import type { Glue } from "../../runtime/core.js";
import { fetched } from "../../runtime/fetch-module.js";
import { Runtime } from "../../runtime/runtime.js";

// In this form bundlers find the file and move it along.
const load = () =>
  fetched(
    new URL("../../../gen/raven_edge_hilo_bg.wasm", import.meta.url),
    () => import("../../../gen/inline_hilo.js"),
  );

const loadWhole = () =>
  fetched(
    new URL("../../../gen/raven_edge_hilo_whole_bg.wasm", import.meta.url),
    () => import("../../../gen/inline_hilo.js"),
  );

// Border to generated code: the classes are those of a module without sessions, of which ids call nothing.
const asGlue = (generated: typeof glue) => generated as unknown as Glue;

const runtime = new Runtime(asGlue(glue), load, {
  Parking,
  whole: () => new Runtime(asGlue(anotherGlue()), loadWhole, { Parking }),
});

export class HiLoStore extends runtime.of(IdStore) {}

export { RavenEdgeError } from "../../common/error.js";
export { version } from "../../common/version.js";
export { HiLo } from "../../numbers/hilo.js";
