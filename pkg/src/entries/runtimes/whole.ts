// The module with all sources, for pages where a store names another source than the server. It serves sessions and ids alone.

import { glueOf } from "../../../gen/raven_edge.js";
import { Parking } from "../../device/parked-numbers.js";
import { fetched } from "../../runtime/fetch-module.js";
import { Runtime } from "../../runtime/runtime.js";

/** The copy inside a script, of this module too. */
export const inlined = () => import("../../../gen/inline.js");

const load = () => fetched(new URL("../../../gen/raven_edge_whole_bg.wasm", import.meta.url), inlined);

export const whole = () => new Runtime(glueOf("whole"), load, { Parking });
