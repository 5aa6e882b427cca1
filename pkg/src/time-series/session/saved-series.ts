// What a save makes of time series. A document whose first entry of a time series is appended, or whose last one is deleted, gets another
// change vector, because its metadata name its time series. RavenDB does not say which one.

import type { SendBatch } from "../../capabilities/session-part.js";
import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import { AUTO, FORCED } from "../../documents/document-versions.js";
import type { ICommandData } from "../../saving/batch-commands.js";
import type { CommandResult } from "../../saving/batch-response.js";
import type { SessionState } from "../../session/session-state.js";
import { isListed, madeCacheOf } from "./read-entries.js";
import { TimeSeriesCommandData } from "./series-commands.js";

/** Sends a batch with commands about time series. */
export function send<Result>(
  state: SessionState,
  cluster: boolean,
  send: SendBatch<Result>,
): Promise<Result> {
  if (cluster) fail("InvalidOperation", "a cluster-wide transaction takes no time series");
  const { tracker, underWay } = state;
  const cache = madeCacheOf(state);
  cache.before.clear();
  for (const { id } of underWay) {
    const slot = tracker.slot(id ?? "");
    if (slot >= 0) cache.before.set(idKey(id as string), tracker.versions.vector(slot));
  }
  return send();
}

/** After a save: what the session has read of a time series that it has changed is read again. */
export function show(
  state: SessionState,
  { Id, ChangeVector }: CommandResult,
  command: ICommandData | undefined,
): void {
  if (!(command instanceof TimeSeriesCommandData)) return;
  const { id, name, timeSeries } = command;
  const { tracker, optimistic } = state;
  const cache = madeCacheOf(state);
  const isNew = !isListed(state, id, name);
  cache.wrote(idKey(Id ?? id), name);
  const slot = tracker.slot(id);
  const { versions } = tracker;
  if (slot < 0 || !ChangeVector || !(isNew || timeSeries.hasDeletes)) return;
  const check = versions.kindOf(slot)?.[2] ?? AUTO;
  // A document that the same transaction has written was changed by nobody else before its time series was begun: then this is its
  // vector. With optimistic concurrency the vector of another document would hide the change of another client.
  const isWritten = versions.vector(slot) !== cache.before.get(idKey(id));
  if (isNew && !timeSeries.hasDeletes && (isWritten || !optimistic))
    versions.check(slot, check, ChangeVector);
  else if (!optimistic && check === FORCED) versions.check(slot, AUTO);
}
