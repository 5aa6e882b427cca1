// What few apps use, in Cloudflare Workers, which have sockets.

import { PARTS as LATER } from "./capabilities-later.js";

export * from "./capabilities-later.js";

export const PARTS = { ...LATER, sockets: () => import("../../subscriptions/worker-sockets.js") };
