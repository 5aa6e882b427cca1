// Streams of Node. Only the entry of Node imports this file.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fail } from "../common/error.js";
import type { NodeWritable, StreamQueryStatistics, StreamResult } from "./stream-types.js";

/** Documents as they arrive. */
export interface Documents {
  next(): Promise<IteratorResult<StreamResult, unknown>>;
  return(value?: unknown): Promise<IteratorResult<StreamResult, unknown>>;
  /** Ends the request. */
  stop(): void;
  /** Adds a listener for the statistics of a query. */
  onStatistics(listener: (statistics: StreamQueryStatistics) => void): void;
}

/** A stream that is being opened; it can be iterated at once. */
export type OpeningStream = Promise<object> & AsyncIterable<{ document: unknown }>;

/** A stream of documents that is also a `Readable`: for `on("data")`, `pipe` and `pipeline`. */
class DocumentReadable extends Readable {
  private _documents;

  constructor(documents: Documents) {
    super({ objectMode: true });
    this._documents = documents;
    // As in npm `ravendb`.
    documents.onStatistics((statistics) => this.emit("stats", statistics));
  }

  override _read(): void {
    this._documents.next().then(
      ({ value, done }) => this.push(done ? null : value),
      (error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._documents.stop();
    done(error);
  }

  next(): Promise<IteratorResult<StreamResult, unknown>> {
    return this._documents.next();
  }

  return(value?: unknown): Promise<IteratorResult<StreamResult, unknown>> {
    return this._documents.return(value);
  }

  /** `for await` reads the documents directly, without the buffer of Node's stream. */
  override [Symbol.asyncIterator](): this {
    return this;
  }
}

export function readable(documents: Documents): DocumentReadable {
  return new DocumentReadable(documents);
}

/** A stream of bytes as a `Readable`. */
export function readableOf(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
}

/** Writes documents as lines of JSON, waits until the last one is written, and ends `writable`. */
export async function write(documents: OpeningStream, writable: NodeWritable): Promise<void> {
  if (typeof writable?.write !== "function") {
    // Nothing else will end the request.
    ((await documents) as DocumentReadable).destroy();
    fail("InvalidArgument", "streamInto takes a query and a writable stream of Node");
  }
  await pipeline(lines(documents), writable as NodeJS.WritableStream);
}

async function* lines(documents: OpeningStream): AsyncGenerator<string> {
  let between = "";
  for await (const { document } of documents) {
    yield between + JSON.stringify(document);
    between = "\n";
  }
}
