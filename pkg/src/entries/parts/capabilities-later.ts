// What few apps use. This index is loaded with the first of them, so that the first load of a page has one address and not ten.

import type { Loaders } from "../../runtime/load-part.js";

export * from "../../capabilities/capabilities.js";

/** How each is loaded. */
export const LOADERS = {
  attachments: () => import("../../attachments/attachments.js"),
  bulkInsert: () => import("../../bulk-insert/bulk-insert.js"),
  cluster: () => import("../../cluster/cluster.js"),
  counters: () => import("../../counters/counters.js"),
  hilo: () => import("../../numbers/hilo-generators.js"),
  revisions: () => import("../../revisions/revisions.js"),
  sockets: () => import("../../subscriptions/sockets.js"),
  subscriptions: () => import("../../subscriptions/subscriptions.js"),
  timeSeries: () => import("../../time-series/time-series.js"),
  trace: () => import("../../tracing/tracing.js"),
} satisfies Loaders;
