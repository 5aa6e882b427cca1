// The parts of sessions with queries, brought along.

import { PARTS as QUERIES } from "./queries-included.js";
import { PARTS as SESSION } from "./session-included.js";

export const PARTS = { ...QUERIES, ...SESSION };
