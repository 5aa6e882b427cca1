// Streams of Node. Only the entry of Node imports this file.

import type { Readable } from "node:stream";
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

// The module of streams is not imported: apps that stream nothing would pay for it.

/** A stream of documents that is also a `Readable`: for `on("data")`, `pipe` and `pipeline`. */
export function readable(documents: Documents): Readable & AsyncIterableIterator<StreamResult, unknown> {
  const { Readable } = process.getBuiltinModule("node:stream");
  const stream = new Readable({
    objectMode: true,
    read() {
      documents.next().then(
        ({ value, done }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      documents.stop();
      done(error);
    },
  });
  // As in npm `ravendb`.
  documents.onStatistics((statistics) => stream.emit("stats", statistics));
  // `for await` reads the documents directly, without the buffer of Node's stream.
  return Object.assign(stream, {
    next: () => documents.next(),
    return: (value?: unknown) => documents.return(value),
    [Symbol.asyncIterator]: () => stream as never,
  });
}

/** A stream of bytes as a `Readable`. */
export function readableOf(stream: ReadableStream<Uint8Array>): Readable {
  const { Readable } = process.getBuiltinModule("node:stream");
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
}

/** Writes documents as lines of JSON, waits until the last one is written, and ends `writable`. */
export async function write(documents: OpeningStream, writable: NodeWritable): Promise<void> {
  if (typeof writable?.write !== "function") {
    // Nothing else will end the request.
    ((await documents) as Readable).destroy();
    fail("InvalidArgument", "streamInto takes a query and a writable stream of Node");
  }
  const { pipeline } = process.getBuiltinModule("node:stream/promises");
  await pipeline(lines(documents), writable as NodeJS.WritableStream);
}

async function* lines(documents: OpeningStream): AsyncGenerator<string> {
  let between = "";
  for await (const { document } of documents) {
    yield between + JSON.stringify(document);
    between = "\n";
  }
}
