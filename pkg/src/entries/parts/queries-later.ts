// The same for entries with queries.

import { PARTS as LATER } from "./capabilities-later.js";

export * from "./capabilities-later.js";

export const PARTS = { ...LATER, extras: () => import("../../query-extras/extras.js") };
