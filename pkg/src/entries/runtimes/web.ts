// Browsers and their workers: the module is fetched and compiled as it arrives.

import { glueOf } from "../../../gen/raven_edge.js";
import { Parking } from "../../device/page-events-and-tabs.js";
import { fetched } from "../../runtime/fetch-module.js";
import { SharedRuntime } from "../../runtime/shared-runtime.js";
import { assertReachable } from "../../saving/assert-reachable.js";
import { early } from "../../session/early-operations.js";
import { assertSendable } from "../../wire/forbidden-ports.js";

// In this form bundlers find the file and move it along.
const load = () => fetched(() => new URL("../../../gen/raven_edge_bg.wasm", import.meta.url));

const platform = { Parking, early, assertReachable, assertSendable };
export const runtime = new SharedRuntime(glueOf("main"), load, platform);
