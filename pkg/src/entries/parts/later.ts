// What sessions load when it is first used. A Worker's upload has it, but a Worker that does not need it does not run it. Each entry chooses.

import type { Loaders } from "../../runtime/load-part.js";

// Declared here and not beside their loader: what loads a part does not know what the part knows.
declare module "../../runtime/load-part.js" {
  interface Parts {
    attachments: typeof import("../../attachments/attachments.js");
    bulkInsert: typeof import("../../bulk-insert/bulk-insert.js");
    /** As an index it also says how others are loaded. */
    capabilities: typeof import("../../capabilities/capabilities.js") & { LOADERS?: Loaders };
    cluster: typeof import("../../cluster/cluster.js");
    counters: typeof import("../../counters/counters.js");
    extras: typeof import("../../query-extras/extras.js");
    hilo: typeof import("../../numbers/hilo-generators.js");
    live: typeof import("../../live/live.js");
    /** There at once, with all entries. */
    liveCalls: Pick<typeof import("../../live/live.js"), "changesOf" | "watch">;
    named: typeof import("../../named/named-calls.js");
    plural: typeof import("../../../gen/plural.js");
    revisions: typeof import("../../revisions/revisions.js");
    rql: typeof import("../../rql/render.js");
    session: typeof import("../../session/rarely-used.js");
    /** Of `raven-edge/offline`. */
    sets: typeof import("../../offline/sets/device-set.js");
    /** Other sources of ids than the server's leases. */
    sources: typeof import("../../core/other-sources.js");
    sockets: import("../../subscriptions/sockets.js").Sockets;
    stream: typeof import("../../stream/document-iterator.js");
    timeSeries: typeof import("../../time-series/time-series.js");
    trace: typeof import("../../tracing/tracing.js");
    subscriptions: typeof import("../../subscriptions/subscriptions.js");
  }
}

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
