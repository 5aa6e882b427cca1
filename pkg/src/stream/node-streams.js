// Streams as Node has them. Only the entry of Node imports this file.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fail } from "../common/error.js";

/** A stream of documents that is also a `Readable`: for `on("data")`, `pipe` and `pipeline`. */
class DocumentReadable extends Readable {
  #documents;

  constructor(documents) {
    super({ objectMode: true });
    this.#documents = documents;
    // Such as npm `ravendb` tells.
    documents.told = (statistics) => this.emit("stats", statistics);
  }

  _read() {
    this.#documents.next().then(
      ({ value, done }) => this.push(done ? null : value),
      (error) => this.destroy(error),
    );
  }

  _destroy(error, done) {
    this.#documents.stop();
    done(error);
  }

  next() {
    return this.#documents.next();
  }

  return(value) {
    return this.#documents.return(value);
  }

  /** A loop needs no buffer of Node's in between. */
  [Symbol.asyncIterator]() {
    return this;
  }
}

export function readable(documents) {
  return new DocumentReadable(documents);
}

/** Writes documents as lines of JSON, waits until the last one is written, and ends `writable`. */
export async function write(documents, writable) {
  if (typeof writable?.write !== "function") {
    // Nobody will go through it.
    (await documents).destroy();
    fail("InvalidArgument", "streamInto takes a query and a writable stream of Node");
  }
  await pipeline(lines(documents), writable);
}

async function* lines(documents) {
  let between = "";
  for await (const { document } of documents) {
    yield between + JSON.stringify(document);
    between = "\n";
  }
}
