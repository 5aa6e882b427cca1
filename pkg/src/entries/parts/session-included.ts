// The parts of sessions, brought along: for platforms where all files are there at once, or nothing can be loaded later.

import * as session from "../../session/rarely-used.js";

export const PARTS = { session };
