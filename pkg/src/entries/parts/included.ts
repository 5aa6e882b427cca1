// The parts of sessions, brought along: for platforms where all files are there at once, or nothing can be loaded later.

import * as plural from "../../../gen/plural.js";
import * as attachments from "../../attachments/attachments.js";
import * as bulkInsert from "../../bulk-insert/bulk-insert.js";
import * as capabilities from "../../capabilities/capabilities.js";
import * as cluster from "../../cluster/cluster.js";
import * as sources from "../../core/other-sources.js";
import * as counters from "../../counters/counters.js";
import * as live from "../../live/live.js";
import * as hilo from "../../numbers/hilo-generators.js";
import * as revisions from "../../revisions/revisions.js";
import * as session from "../../session/rarely-used.js";
import * as sockets from "../../subscriptions/sockets.js";
import * as subscriptions from "../../subscriptions/subscriptions.js";
import * as timeSeries from "../../time-series/time-series.js";
import * as trace from "../../tracing/tracing.js";

export const SESSION = {
  attachments,
  bulkInsert,
  capabilities,
  cluster,
  counters,
  hilo,
  liveCalls: live,
  plural,
  revisions,
  session,
  sockets,
  sources,
  subscriptions,
  timeSeries,
  trace,
};
