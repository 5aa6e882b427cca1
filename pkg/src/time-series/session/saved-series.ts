// What a save makes of time series. A document gets another change vector when the first entry of one of its time series is appended or the
// last one is deleted, because its metadata lists its time series. RavenDB does not say which vector.

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

/** After a save that changed a time series: drops what the session has read of it, so that it is read again. */
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
  // If the same transaction has written the document, nobody else has changed it before: `ChangeVector` is the document's. If not, somebody
  // may have changed it, and with optimistic concurrency this vector would hide that.
  const isWritten = versions.vector(slot) !== cache.before.get(idKey(id));
  if (isNew && !timeSeries.hasDeletes && (isWritten || !optimistic))
    versions.check(slot, check, ChangeVector);
  else if (!optimistic && check === FORCED) versions.check(slot, AUTO);
}
