// The parts of sessions, brought along: for platforms where all files are there at once, or nothing can be loaded later.

import * as hilo from "../apart/hilo-generators.js";
import * as session from "../apart/session.js";

export const PARTS = { hilo, session };
