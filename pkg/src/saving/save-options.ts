// The query string of a save: what it waits for, and how it is carried out.

import { withoutNulls } from "../common/arguments.js";
import { timeSpan } from "../common/time-span.js";
import { raftId } from "../operations/identities.js";
import type { SessionState } from "../session/session-state.js";

/** `URLSearchParams`, which makes texts of numbers and booleans. */
interface Parameters {
  set(name: string, value: string | number | boolean): void;
  append(name: string, value: string): void;
}

/** What a save waits for, with all defaults. */
function waits({ saveOptions, conventions }: SessionState) {
  const { replication, indexes } = saveOptions;
  const copies = withoutNulls(replication);
  const indexed = withoutNulls(indexes);
  return {
    replication: replication && {
      timeout: copies.timeout ?? conventions.waitForReplicationAfterSaveChangesTimeout,
      throwOnTimeout: copies.throwOnTimeout ?? true,
      replicas: copies.majority ? "majority" : (copies.replicas ?? 1),
    },
    indexes: indexes && {
      timeout: indexed.timeout ?? conventions.waitForIndexesAfterSaveChangesTimeout,
      throwOnTimeout: indexed.throwOnTimeout ?? true,
      names: indexed.indexes ?? [],
    },
  };
}

/** The longest time that the server may wait after it has saved, in milliseconds. */
export function wait(state: SessionState): number {
  return Object.values(waits(state)).reduce((sum, each) => sum + (each?.timeout ?? 0), 0);
}

/** `cluster`: the save is a transaction of the whole cluster. */
export function query(state: SessionState, cluster: boolean): string {
  const parameters: Parameters = new URLSearchParams();
  const { replication, indexes } = waits(state);
  if (replication) {
    parameters.set("waitForReplicasTimeout", timeSpan(replication.timeout));
    parameters.set("throwOnTimeoutInWaitForReplicas", replication.throwOnTimeout);
    parameters.set("numberOfReplicasToWaitFor", replication.replicas);
  }
  if (indexes) {
    parameters.set("waitForIndexesTimeout", timeSpan(indexes.timeout));
    parameters.set("waitForIndexThrow", indexes.throwOnTimeout);
    for (const name of indexes.names) parameters.append("waitForSpecificIndex", name);
  }
  // One id for each logical call: if a proxy repeats the request, the cluster applies it once.
  if (cluster) parameters.set("raft-request-id", raftId());
  // RavenDB does not decode the colons of a time.
  const text = String(parameters).replaceAll("%3A", ":");
  return text && `?${text}`;
}
