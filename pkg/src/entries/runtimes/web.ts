// Browsers and their workers: the module is fetched and compiled as it arrives.

import { anotherGlue, glue } from "../../../gen/raven_edge.js";
import { Parking } from "../../device/parked-numbers.js";
import { fetched } from "../../runtime/fetch-module.js";
import { Runtime } from "../../runtime/runtime.js";

// In this form bundlers find the file and move it along.
const load = () =>
  fetched(
    new URL("../../../gen/raven_edge_bg.wasm", import.meta.url),
    () => import("../../../gen/inline.js"),
  );

const loadWhole = () =>
  fetched(
    new URL("../../../gen/raven_edge_whole_bg.wasm", import.meta.url),
    () => import("../../../gen/inline.js"),
  );

export const runtime = new Runtime(glue, load, {
  Parking,
  whole: () => new Runtime(anotherGlue(), loadWhole, { Parking }),
});
