// What few apps use, for entries with queries: the index that is loaded with the first of them.

import { PARTS as LATER } from "./capabilities-later.js";

export * from "./capabilities-later.js";

export const PARTS = { ...LATER, extras: () => import("../../query-extras/extras.js") };
