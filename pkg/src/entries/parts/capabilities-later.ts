// What few apps use. This index is loaded with the first of them, so that the first load of a page has one address and not ten.

export * from "../../capabilities/capabilities.js";

/** How each is loaded. */
export const PARTS = {
  attachments: () => import("../../attachments/attachments.js"),
  bulkInsert: () => import("../../bulk-insert/bulk-insert.js"),
  cluster: () => import("../../cluster/cluster.js"),
  counters: () => import("../../counters/counters.js"),
  hilo: () => import("../../numbers/hilo-generators.js"),
  timeSeries: () => import("../../time-series/time-series.js"),
  revisions: () => import("../../revisions/revisions.js"),
  sockets: () => import("../../subscriptions/no-sockets.js"),
  subscriptions: () => import("../../subscriptions/subscriptions.js"),
  trace: () => import("../../tracing/tracing.js"),
};
