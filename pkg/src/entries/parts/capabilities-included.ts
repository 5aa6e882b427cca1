// What few apps use, brought along.

import * as attachments from "../../attachments/attachments.js";
import * as capabilities from "../../capabilities/capabilities.js";
import * as counters from "../../counters/counters.js";
import * as hilo from "../../numbers/hilo-generators.js";
import * as timeSeries from "../../time-series/time-series.js";

export const CAPABILITIES = { attachments, capabilities, counters, hilo, timeSeries };
