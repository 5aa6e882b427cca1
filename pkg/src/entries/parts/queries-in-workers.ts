// What few apps use, for entries with queries in Cloudflare Workers, which have sockets.

import { PARTS as LATER } from "./queries-later.js";

export * from "./queries-later.js";

export const PARTS = { ...LATER, sockets: () => import("../../subscriptions/worker-sockets.js") };
