// Changes of one time series: entries to append, increments, ranges to delete. Names and bodies are those of npm `ravendb`.

import { AnyThis } from "../../common/any-this.js";
import { fail } from "../../common/error.js";
import { isValidDate } from "../../common/value-kinds.js";
import { utcText } from "../../documents/mapping/date-format.js";

/** Numbers as JSON has them: RavenDB would store 0 for `null`, which `NaN` becomes. */
function assertValues(values: unknown): asserts values is number[] {
  if (!Array.isArray(values) || values.length === 0 || !values.every(Number.isFinite))
    fail("InvalidArgument", "the values of an entry are finite numbers, at least one");
}

/** An entry to append. One of the same timestamp is replaced. */
export class AppendOperation {
  timestamp: Date;
  values: number[];
  tag: string | null | undefined;

  /** @param tag Where the values come from, for example the id of a device. */
  constructor(timestamp: Date, values: number[], tag?: string | null) {
    this.timestamp = timestamp;
    this.values = values;
    this.tag = tag;
  }

  serialize(): object {
    return { Timestamp: utcText(this.timestamp), Values: this.values, Tag: this.tag || undefined };
  }
}

/** A range of time whose entries are to be deleted, both ends included. */
export class DeleteOperation {
  from: Date | null | undefined;
  to: Date | null | undefined;

  /**
   * @param from Default: the first entry.
   * @param to Default: the last entry.
   */
  constructor(from?: Date | null, to?: Date | null) {
    this.from = from;
    this.to = to;
  }

  serialize(): object {
    return { From: this.from ? utcText(this.from) : null, To: this.to ? utcText(this.to) : null };
  }
}

/** Numbers to add to the values of an entry of an incremental time series; the server makes the entry if it is not there. */
export class IncrementOperation {
  timestamp!: Date;
  values!: number[];

  serialize(): object {
    return { Timestamp: utcText(this.timestamp), Values: this.values };
  }
}

/** Changes of one time series of a document. The server deletes first, then adds increments, then appends. */
export class TimeSeriesOperation extends AnyThis {
  name: string | undefined;
  /** By timestamp, in milliseconds. */
  #appends: Map<number, AppendOperation> | undefined;
  #increments: Map<number, IncrementOperation> | undefined;
  #deletes: DeleteOperation[] | undefined;

  /** @param name The name of the time series. */
  constructor(name?: string) {
    super();
    this.name = name;
  }

  /** @throws {RavenEdgeError} `InvalidArgument` for what is no date or number; of two entries of one timestamp the last one counts. */
  append(appendOperation: AppendOperation): void {
    const { timestamp, values } = appendOperation;
    assertDate(timestamp);
    assertValues(values);
    this.#appends ??= new Map();
    this.#appends.set(timestamp.getTime(), appendOperation);
  }

  /** @throws {RavenEdgeError} `InvalidArgument` for what is no date or number; two increments of one timestamp are added. */
  increment(incrementOperation: IncrementOperation): void {
    const { timestamp, values } = incrementOperation;
    assertDate(timestamp);
    assertValues(values);
    this.#increments ??= new Map();
    const time = timestamp.getTime();
    const before = this.#increments.get(time)?.values ?? [];
    const sum = Array.from({ length: Math.max(before.length, values.length) }, (_, at) => {
      return (before[at] ?? 0) + (values[at] ?? 0);
    });
    this.#increments.set(time, Object.assign(new IncrementOperation(), { timestamp, values: sum }));
  }

  /** @internal */
  get hasDeletes(): boolean {
    return this.#deletes !== undefined;
  }

  delete(deleteOperation: DeleteOperation): void {
    for (const end of [deleteOperation.from, deleteOperation.to]) if (end) assertDate(end);
    this.#deletes ??= [];
    this.#deletes.push(deleteOperation);
  }

  serialize(): object {
    const all = (operations: Iterable<{ serialize(): object }> | undefined) =>
      operations ? Array.from(operations, (operation) => operation.serialize()) : null;
    const appends = this.#appends && [...this.#appends].sort(([a], [b]) => a - b).map(([, each]) => each);
    return {
      Name: this.name,
      Appends: all(appends),
      Deletes: all(this.#deletes),
      Increments: all(this.#increments?.values()),
    };
  }
}

function assertDate(timestamp: unknown): void {
  if (!isValidDate(timestamp)) fail("InvalidArgument", "the time of an entry is a valid Date");
}
