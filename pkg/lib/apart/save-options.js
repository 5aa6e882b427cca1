// What a save waits for, and how it is carried out: the query of its request.

import { raftId } from "../identities.js";
import { timeSpan } from "../time-span.js";

/** For how long the server may wait once it has saved, in milliseconds. */
export function wait({ saveOptions }) {
  return Object.values(saveOptions).reduce((sum, { timeout }) => sum + timeout, 0);
}

/** `cluster`: it is one transaction of the whole cluster. */
export function query(unit, cluster) {
  const parameters = new URLSearchParams();
  const { replication, indexes } = unit.saveOptions;
  if (replication) {
    parameters.set("waitForReplicasTimeout", timeSpan(replication.timeout));
    parameters.set("throwOnTimeoutInWaitForReplicas", replication.throwOnTimeout);
    parameters.set("numberOfReplicasToWaitFor", replication.majority ? "majority" : replication.replicas);
  }
  if (indexes) {
    parameters.set("waitForIndexesTimeout", timeSpan(indexes.timeout));
    parameters.set("waitForIndexThrow", indexes.throwOnTimeout);
    for (const name of indexes.indexes) parameters.append("waitForSpecificIndex", name);
  }
  // One per logical call: a repetition by whoever is in between changes nothing.
  if (cluster) parameters.set("raft-request-id", raftId());
  // RavenDB does not decode the colons of a time.
  const text = String(parameters).replaceAll("%3A", ":");
  return text && `?${text}`;
}
