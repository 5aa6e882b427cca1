// The query string of a save: what it waits for, and how it is carried out.

import { timeSpan } from "../common/time-span.js";
import type { SaveOptions } from "../session/session-types.js";
import type { DocumentConventions } from "../store/conventions.js";
import { randomId } from "../wire/random-id.js";

/** `URLSearchParams`, which makes texts of numbers and booleans. */
interface Parameters {
  set(name: string, value: string | number | boolean): void;
  append(name: string, value: string): void;
}

/** What a save waits for, with all defaults. npm `ravendb` treats `null` as absent. */
export function waitsOf({ replication, indexes }: Readonly<SaveOptions>, conventions: DocumentConventions) {
  return {
    replication: replication && {
      timeout: replication.timeout ?? conventions.waitForReplicationAfterSaveChangesTimeout,
      throwOnTimeout: replication.throwOnTimeout ?? true,
      replicas: replication.majority ? "majority" : (replication.replicas ?? 1),
    },
    indexes: indexes && {
      timeout: indexes.timeout ?? conventions.waitForIndexesAfterSaveChangesTimeout,
      throwOnTimeout: indexes.throwOnTimeout ?? true,
      names: indexes.indexes ?? [],
    },
  };
}

type Waits = ReturnType<typeof waitsOf>;

/** The longest time that the server may wait after it has saved, in milliseconds. */
export function longest({ replication, indexes }: Waits): number {
  return (replication?.timeout ?? 0) + (indexes?.timeout ?? 0);
}

/** `cluster`: the save is a transaction of the whole cluster; `isUnguarded`: the option about atomic guards. */
export function query(
  { replication, indexes }: Waits,
  cluster: boolean,
  isUnguarded: boolean | undefined,
): string {
  const parameters: Parameters = new URLSearchParams();
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
  if (cluster) parameters.set("raft-request-id", randomId());
  if (cluster && isUnguarded != null) parameters.set("disableAtomicDocumentWrites", isUnguarded);
  // RavenDB does not decode the colons of a time.
  const text = String(parameters).replaceAll("%3A", ":");
  return text && `?${text}`;
}
