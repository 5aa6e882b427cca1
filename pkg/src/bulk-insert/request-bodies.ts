// The bodies of a bulk insert: one stream where the platform streams requests, chunks elsewhere.

import { ONCE, Upload } from "../attachments/upload.js";
import { partOf } from "../attachments/upload-parts.js";
import { encoder } from "../common/text-codec.js";
import type { RequestParts, Transport } from "../wire/transport.js";

/** The longest time of a timer, in milliseconds: an app may take as long as it wants between two documents. */
const LONGEST = 2 ** 31 - 1;

const zip = () => new CompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>;

function mark({ headers }: RequestParts): void {
  headers.set("Content-Encoding", "gzip");
}

/** A body that is sent while it is written. */
export class StreamedBody implements Transport {
  readonly limit = LONGEST;
  #abort = new AbortController();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isZipped;
  #stream;
  #notify: () => void = () => {};
  #pulled: Promise<void> | undefined;
  #isOver = false;

  constructor(isZipped: boolean) {
    this.#isZipped = isZipped;
    this.#stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#notify(),
      cancel: () => this.stop(),
    });
  }

  /** Whether the connection takes more. */
  get hasRoom(): boolean {
    return this.#isOver || (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** Resolves when the connection takes more, or nothing more is sent. */
  async room(): Promise<void> {
    while (!this.hasRoom) {
      // Shared: a call of the app and the timer may wait together.
      this.#pulled ??= new Promise<void>((resolve) => {
        this.#notify = () => {
          this.#pulled = undefined;
          resolve();
        };
      });
      await this.#pulled;
    }
  }

  write(bytes: Uint8Array): void {
    if (!this.#isOver && bytes.length > 0) this.#controller?.enqueue(bytes);
  }

  /** Writes texts, as one piece if they are ASCII: each piece costs as much as several documents. */
  writeTexts(texts: readonly string[]): void {
    let bytes = new Uint8Array(texts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const text of texts) {
      // In Node 20, `encode` takes four times as long for a text that was concatenated.
      const { read, written } = encoder.encodeInto(text, bytes.subarray(at));
      at += written;
      if (read === text.length) continue;
      this.write(bytes.subarray(0, at));
      this.write(encoder.encode(text.slice(read)));
      bytes = bytes.subarray(at);
      at = 0;
    }
    this.write(bytes.subarray(0, at));
  }

  end(): void {
    if (!this.#isOver) this.#controller?.close();
    this.#isOver = true;
  }

  /** Nothing more is sent; the request ends without its last bytes. */
  stop(): void {
    this.#isOver = true;
    this.#abort.abort();
    this.#notify();
  }

  send(...given: Parameters<Transport["send"]>): Promise<Response> {
    const [send, url, init, , , isolated] = given;
    init.signal?.addEventListener("abort", () => this.stop(), { once: true });
    if (this.#isZipped) mark(init);
    const body = this.#isZipped ? this.#stream.pipeThrough(zip()) : this.#stream;
    const request = { ...init, ...(!isolated && ONCE), body, signal: this.#abort.signal, duplex: "half" };
    return send(url, request as RequestParts);
  }
}

/** A body that is complete when it is sent. */
export class Chunk extends Upload {
  #isZipped;

  private constructor(content: Blob, isZipped: boolean) {
    super([partOf(content)], "application/json");
    this.#isZipped = isZipped;
  }

  static async of(parts: BlobPart[], isZipped: boolean): Promise<Chunk> {
    const content = new Blob(parts);
    return new Chunk(
      isZipped ? await new Response(content.stream().pipeThrough(zip())).blob() : content,
      isZipped,
    );
  }

  override send(...given: Parameters<Transport["send"]>): Promise<Response> {
    if (this.#isZipped) mark(given[2]);
    return super.send(...given);
  }
}
