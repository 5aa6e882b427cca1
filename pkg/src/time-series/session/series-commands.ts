// Commands about time series in the batch of a save.

import { SentOnce } from "../../capabilities/sent-once.js";
import { isText } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import type { ICommandData } from "../../saving/batch-commands.js";
import { TimeSeriesOperation } from "../operations/time-series-operation.js";

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
    for (const [what, value] of Object.entries({ "document id": id, name }))
      if (!isText(value)) fail("InvalidArgument", `a time series needs a ${what}`);
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
  onOutcomeUnknown(): void {
    if (this.type !== "TimeSeries") this.#sent.markUnknown();
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
