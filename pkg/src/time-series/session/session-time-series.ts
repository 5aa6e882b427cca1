// `session.timeSeriesFor`, `timeSeriesRollupFor` and `incrementalTimeSeriesFor`: they read entries, and defer changes for the next save.
// Names are those of npm `ravendb`.

import { documentId, isDeleted } from "../../capabilities/about-a-document.js";
import { AnyThis } from "../../common/any-this.js";
import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import type { SessionState } from "../../session/session-state.js";
import type { TimeSeriesEntry } from "../entries/entries.js";
import { assertNamed, type TimeSeriesPage } from "../entries/read-requests.js";
import { beginning, end, type Time } from "../entries/times.js";
import {
  AppendOperation,
  DeleteOperation,
  IncrementOperation,
  type TimeSeriesOperation,
} from "../operations/time-series-operation.js";
import { cacheOf, readEntries } from "./read-entries.js";
import { TimeSeriesCommandData } from "./series-commands.js";

/** A time series of a document, as a session reads and changes it. */
export abstract class SessionSeries extends AnyThis {
  readonly #state;
  readonly #id: string;
  readonly #name: string;

  /** `target`: the id of the document, or an entity of the session. */
  constructor(state: SessionState, target: string | object, name: string) {
    super();
    this.#state = state;
    this.#id = documentId(state, target, "time series");
    this.#name = name;
    assertNamed({ name });
  }

  delete(from?: Time, to?: Time): void {
    this.#change(false, (changes) => changes.delete(new DeleteOperation(from, to)));
    cacheOf(this.#state)?.drop(idKey(this.#id), this.#name, beginning(from), end(to));
  }

  deleteAt(at: Date): void {
    this.delete(at, at);
  }

  protected read(from: Time, to: Time, page: TimeSeriesPage): Promise<TimeSeriesEntry[] | null> {
    return this.#state.inOrder(() => readEntries(this.#state, this.#id, this.#name, from, to, page), "get");
  }

  protected appendValues(timestamp: Date, values: number[], tag: string | null | undefined): void {
    this.#change(false, (changes) => changes.append(new AppendOperation(timestamp, values, tag)));
  }

  protected incrementValues(timestamp: Date, values: number[]): void {
    const increment = Object.assign(new IncrementOperation(), { timestamp, values });
    this.#change(true, (changes) => changes.increment(increment));
  }

  /** Drops the changes that no save has sent, and those that a save with an unknown outcome has sent. */
  discard(): void {
    for (const command of this.#waiting) this.#state.unitOfWork.evictedCommand(command);
  }

  /** The commands about this series that are not being sent. */
  get #waiting(): TimeSeriesCommandData[] {
    const state = this.#state;
    return state.unitOfWork.deferred.filter(
      (command): command is TimeSeriesCommandData =>
        command instanceof TimeSeriesCommandData &&
        !state.isSealed(command) &&
        command.id === this.#id &&
        command.name === this.#name,
    );
  }

  /** Calls `add` for the command that the next save sends. */
  #change(isIncremental: boolean, add: (changes: TimeSeriesOperation) => void): void {
    const [state, id, name] = [this.#state, this.#id, this.#name];
    if (isDeleted(state, id))
      fail(
        "InvalidOperation",
        `cannot change the time series ${name} of ${id}: it is deleted in this session`,
      );
    const fresh = new TimeSeriesCommandData(id, name, isIncremental);
    // A command that a save has sent, which is under way, must not change any more.
    const known = this.#waiting.find((command) => command.type === fresh.type && !command.isUnknown);
    add((known ?? fresh).timeSeries);
    if (!known) state.unitOfWork.storedCommand(fresh);
  }
}
