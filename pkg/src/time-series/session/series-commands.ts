// Commands about time series, and what a save makes of them. A document gets another change vector when the first entry of one of its time
// series is appended or the last one is deleted, because its metadata lists its time series. RavenDB does not say which vector.

import { SentOnce } from "../../capabilities/about-a-document.js";
import type { SendBatch } from "../../capabilities/session-part.js";
import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import { AUTO, FORCED } from "../../documents/document-versions.js";
import type { Batch } from "../../saving/batch.js";
import type { ICommandData } from "../../saving/batch-commands.js";
import type { CommandResult } from "../../saving/settle.js";
import type { SessionState } from "../../session/session-state.js";
import { assertNamed } from "../entries/read-requests.js";
import { TimeSeriesOperation } from "../operations/operations.js";
import { isListed, madeCacheOf } from "./read-entries.js";

/** Changes of one time series of a document. */
export class TimeSeriesCommandData implements ICommandData {
  readonly changeVector = null;
  /** The changes, to which later calls of the app are added. */
  readonly timeSeries: TimeSeriesOperation;

  /** `isIncremental`: it has increments, which may not be in one command with entries to append. */
  constructor(
    readonly id: string,
    readonly name: string,
    isIncremental: boolean,
  ) {
    assertNamed({ "document id": id, name });
    this.timeSeries = new TimeSeriesOperation(name);
    this.type = isIncremental ? "TimeSeriesWithIncrements" : "TimeSeries";
  }

  readonly type: string;
  #sent = new SentOnce();

  /**
   * Whether a save has sent it, and its outcome is unknown. Entries that are appended again replace themselves.
   * @internal
   */
  get isUnknown(): boolean {
    return this.#sent.isUnknown;
  }

  /** @internal */
  get advice(): string {
    const own = `the time series ${this.name} of ${this.id}`;
    return this.type === "TimeSeries"
      ? `appending to ${own} again is harmless`
      : `read ${own}, call incrementalTimeSeriesFor("${this.id}", "${this.name}").discard(), and increment again what is missing`;
  }

  /** @internal */
  onOutcomeUnknown(): void {
    if (this.type !== "TimeSeries") this.#sent.isUnknown = true;
  }

  /** @internal */
  onBeforeSaveChanges(): void {
    const own = `incrementalTimeSeriesFor("${this.id}", "${this.name}")`;
    this.#sent.assertKnown(`the time series ${this.name} of ${this.id}`, own);
  }

  serialize(): object {
    return { Id: this.id, TimeSeries: this.timeSeries.serialize(), Type: "TimeSeries" };
  }
}

/** Sends a batch with commands about time series. */
export function send(state: SessionState, batch: Batch, send: SendBatch): Promise<string> {
  if (batch.cluster) fail("InvalidOperation", "a cluster-wide transaction takes no time series");
  const { unitOfWork } = state;
  const cache = madeCacheOf(state);
  cache.before.clear();
  for (const { id } of batch.commands) {
    const slot = unitOfWork.slot(id ?? "");
    if (slot >= 0) cache.before.set(idKey(id as string), unitOfWork.versions.vector(slot));
  }
  return send();
}

/** After a save that changed a time series: drops what the session has read of it, so that it is read again. */
export function applyResult(
  state: SessionState,
  { Id, ChangeVector }: CommandResult,
  command: ICommandData | undefined,
): void {
  if (!(command instanceof TimeSeriesCommandData)) return;
  const { id, name, timeSeries } = command;
  const { unitOfWork, optimistic } = state;
  const cache = madeCacheOf(state);
  const isNew = !isListed(state, id, name);
  cache.wrote(idKey(Id ?? id), name);
  const slot = unitOfWork.slot(id);
  const { versions } = unitOfWork;
  if (slot < 0 || !ChangeVector || !(isNew || timeSeries.hasDeletes)) return;
  // If the same transaction has written the document, nobody else has changed it before: `ChangeVector` is the document's. If not, somebody
  // may have changed it, and with optimistic concurrency this vector would hide that.
  const isWritten = versions.vector(slot) !== cache.before.get(idKey(id));
  if (isNew && !timeSeries.hasDeletes && (isWritten || !optimistic))
    unitOfWork.storedVector(slot, ChangeVector);
  else if (!optimistic && versions.checkOf(slot) === FORCED) unitOfWork.storedVector(slot, undefined, AUTO);
}
