// The parts of sessions with queries, brought along.

import * as named from "../../named/named-calls.js";
import { PARTS as QUERIES } from "./queries-included.js";
import { PARTS as SESSION } from "./session-included.js";

export const PARTS = { ...QUERIES, ...SESSION, named };
