// What few apps use: loaded when it is first used, also in Workers.

export const CAPABILITIES = {
  attachments: () => import("../../attachments/attachments.js"),
  bulkInsert: () => import("../../bulk-insert/bulk-insert.js"),
  capabilities: () => import("../../capabilities/capabilities.js"),
  cluster: () => import("../../cluster/cluster.js"),
  counters: () => import("../../counters/counters.js"),
  hilo: () => import("../../numbers/hilo-generators.js"),
  timeSeries: () => import("../../time-series/time-series.js"),
  revisions: () => import("../../revisions/revisions.js"),
  sockets: () => import("../../subscriptions/no-sockets.js"),
  subscriptions: () => import("../../subscriptions/subscriptions.js"),
};
