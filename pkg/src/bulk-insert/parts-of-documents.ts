// What belongs to documents: attachments, counters and time series.

import { AnyThis } from "../common/any-this.js";
import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { isArrayBuffer, isBlob, isDate, isValidDate } from "../common/value-kinds.js";
import type { EntityConstructor } from "../documents/entity-types.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { BulkInsertOperation } from "./bulk-insert.js";
import type { IAttachmentsBulkInsert, ICountersBulkInsert, TypedEntry } from "./bulk-insert-types.js";

/** The server's limit of counters in a command. */
const COUNTERS = 1_024;

function assertText(value: unknown, what: string): asserts value is string {
  if (!isText(value)) fail("InvalidArgument", `${what} cannot be null or empty`);
}

const assertId: (id: unknown) => asserts id is string = (id) => assertText(id, "Document id");

export function attachmentsOf(insert: BulkInsertOperation, id: string): IAttachmentsBulkInsert {
  assertId(id);
  return {
    store: (name, bytes, ContentType, remote?: unknown) =>
      insert.run((feed) => {
        assertText(name, "The name of an attachment");
        if (remote) fail("Unsupported", "attachments in other storage are not in raven-edge");
        const content = contentOf(bytes);
        insert.assertNoSeries();
        const command = {
          Id: id,
          Type: "AttachmentPUT",
          Name: name,
          ...(ContentType && { ContentType }),
          ContentLength: isBlob(content) ? content.size : content.byteLength,
        };
        return feed.addContent(JSON.stringify(command), id, content);
      }),
  };
}

function contentOf(bytes: unknown): Blob | Uint8Array {
  if (isBlob(bytes)) return bytes;
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isArrayBuffer(bytes)) return new Uint8Array(bytes);
  fail(
    "InvalidArgument",
    "an attachment of a bulk insert is a Buffer, an array buffer, a view of one, or a Blob",
  );
}

export function countersOf(insert: BulkInsertOperation, id: string): ICountersBulkInsert {
  assertId(id);
  const text = JSON.stringify(id);
  const head = `{"Id":${text},"Type":"Counters","Counters":{"DocumentId":${text},"Operations":[`;
  return {
    increment: (name, delta = 1) =>
      insert.run((feed) => {
        assertText(name, "The name of a counter");
        if (!Number.isSafeInteger(delta))
          fail("InvalidArgument", "a counter is incremented by a whole number");
        insert.assertNoSeries();
        const item = `{"Type":"Increment","CounterName":${JSON.stringify(name)},"Delta":${delta}}`;
        feed.addItem(head, item, id, COUNTERS);
      }),
  };
}

export class SeriesOf extends AnyThis {
  #insert;
  #id;
  #head;
  #most;

  /** `most`: entries of a command. */
  constructor(insert: BulkInsertOperation, id: string, name: string, most: number) {
    super();
    assertId(id);
    assertText(name, "Time series name");
    if (!(Number.isInteger(most) && most > 0))
      fail("InvalidArgument", "conventions.bulkInsert.timeSeriesBatchSize is a whole number above 0");
    if (/^INC:/i.test(name) && !name.includes("@"))
      fail("InvalidArgument", "Time Series name cannot start with INC: prefix");
    this.#insert = insert;
    this.#id = id;
    this.#most = most;
    this.#head = `{"Id":${JSON.stringify(id)},"Type":"TimeSeriesBulkInsert","TimeSeries":{"Name":${JSON.stringify(name)},"TimeFormat":"UnixTimeInMs","Appends":[`;
  }

  append(timestamp: unknown, values?: unknown, tag?: string | null): Promise<void> {
    return this.#insert.run((feed) => {
      if (!isValidDate(timestamp)) fail("InvalidArgument", "the timestamp of an entry is a valid Date");
      const list = [values].flat();
      if (list.length === 0 || !list.every(Number.isFinite))
        fail("InvalidArgument", "the values of an entry are numbers");
      this.#insert.assertSeries(this);
      const end = tag ? `,${JSON.stringify(tag)}` : "";
      feed.addItem(
        this.#head,
        `[${timestamp.getTime()},${list.length},${list.join(",")}${end}]`,
        this.#id,
        this.#most,
      );
    });
  }

  dispose(): void {
    this.#insert.endSeries(this);
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")](): void {
    this.dispose();
  }
}

/** A class whose fields are the values of entries. */
type SeriesClass = EntityConstructor & { TIME_SERIES_VALUES?: (string | { field: string })[] };

export class TypedSeriesOf extends SeriesOf {
  #fields: string[];

  constructor(
    insert: BulkInsertOperation,
    clazz: SeriesClass,
    id: string,
    name: string | undefined,
    conventions: DocumentConventions,
    most: number,
  ) {
    super(insert, id, name || conventions.getCollectionNameForType(clazz), most);
    this.#fields = (clazz.TIME_SERIES_VALUES ?? []).map((value) => (isObject(value) ? value.field : value));
    if (this.#fields.length === 0)
      fail("InvalidOperation", `${clazz.name} has no TIME_SERIES_VALUES: the names of its values, in order`);
  }

  override append(given: unknown, value?: unknown, tag?: string | null): Promise<void> {
    const { timestamp, ...entry } = isDate(given)
      ? { timestamp: given, value, tag }
      : (given as TypedEntry<object>);
    // As in npm `ravendb`, a missing value is 0.
    const values = this.#fields.map((field) => (Object(entry.value) as Record<string, unknown>)[field] ?? 0);
    return super.append(timestamp, values, entry.tag);
  }
}
