// What sessions with queries load when it is first used.

import { PARTS as SESSION } from "./session-later.js";

export const PARTS = { ...SESSION, stream: () => import("../apart/stream.js") };
