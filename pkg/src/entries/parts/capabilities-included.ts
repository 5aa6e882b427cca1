// What few apps use, brought along.

import * as attachments from "../../attachments/attachments.js";
import * as bulkInsert from "../../bulk-insert/bulk-insert.js";
import * as capabilities from "../../capabilities/capabilities.js";
import * as cluster from "../../cluster/cluster.js";
import * as counters from "../../counters/counters.js";
import * as hilo from "../../numbers/hilo-generators.js";
import * as revisions from "../../revisions/revisions.js";
import * as sockets from "../../subscriptions/no-sockets.js";
import * as subscriptions from "../../subscriptions/subscriptions.js";
import * as timeSeries from "../../time-series/time-series.js";
import * as trace from "../../tracing/tracing.js";

export const CAPABILITIES = {
  attachments,
  bulkInsert,
  capabilities,
  cluster,
  counters,
  hilo,
  revisions,
  sockets,
  subscriptions,
  timeSeries,
  trace,
};
