// What sessions load when it is first used. A Worker's upload has it, but a Worker that does not need it does not run it. Each entry chooses.

/** Of sessions. */
export const SESSION = {
  capabilities: () => import("./capabilities-later.js"),
  // The rules of plurals take a while to be read.
  plural: () => import("../../../gen/plural.js"),
  session: () => import("../../session/rarely-used.js"),
  sources: () => import("../../core/other-sources.js"),
};

/** Of sessions that can keep a connection. */
export const LIVE = { live: () => import("../../live/live.js") };

/** Of Cloudflare Workers, which have sockets. */
export const SOCKETS = { sockets: () => import("../../subscriptions/worker-sockets.js") };
