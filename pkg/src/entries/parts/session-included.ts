// The parts of sessions, brought along: for platforms where all files are there at once, or nothing can be loaded later.

import * as sources from "../../core/other-sources.js";
import * as session from "../../session/rarely-used.js";

export const PARTS = { session, sources };
