// Sends the commands of a bulk insert: as one stream while they come, or in chunks. Keeps at most one piece that waits to be sent.

import { fail, RavenEdgeError } from "../common/error.js";
import { encoder } from "../common/text-codec.js";
import { within } from "../common/time.js";
import { isBlob } from "../common/value-kinds.js";
import type { StoreBase } from "../store/store.js";
import type { Transport } from "../wire/transport.js";
import { Chunk, StreamedBody } from "./request-bodies.js";
import { ServerOperation, type Stored, unknown, type Verdict } from "./server-operation.js";

/** Characters of a piece of a stream, and of a chunk. */
const PIECE = 1 << 19;
const CHUNK = 1 << 20;
/** Characters of a text that is concatenated: V8 keeps texts of more than 128 KiB apart, at a price. */
const TEXT = 120_000;
/** Milliseconds after which a piece is sent that is not full, and after which the server hears that the app is still there. */
const SOON = 50;
const HEARTBEAT = 40_000;

const NONE: Stored = { count: 0, lastId: undefined };

const sizeOf = (content: Blob | Uint8Array) => (isBlob(content) ? content.size : content.byteLength);

export class CommandFeed {
  #store;
  #isChunked;
  #skipUnchanged;
  isZipped;
  /** What waits: finished parts, then text. */
  #parts: BlobPart[] = [];
  #text = "[";
  #group = new CommandGroup();
  /** Characters and bytes that wait, and the commands among them. */
  #size = 0;
  #waiting = NONE;
  /** What earlier chunks have stored. */
  #stored = NONE;
  #hasBegun = false;
  #operation: ServerOperation | undefined;
  #body: StreamedBody | undefined;
  /** Resolves when the server has responded, and what is certain is known. */
  #sending: Promise<void> = Promise.resolve();
  /** Why this side has stopped the insert. */
  #cause: RavenEdgeError | undefined;
  #failure: RavenEdgeError | undefined;
  #ended: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the timer is the one for what waits. */
  #isDueSoon: boolean | undefined;
  /** Whether the server has stored everything. */
  #isOver = false;
  /** Whether the content of an attachment is being written: nothing may come in between. */
  #isInside = false;

  constructor(store: StoreBase, isZipped: boolean, skipUnchanged: boolean) {
    this.#store = store;
    // Browsers stream no bodies over HTTP/1.1.
    this.#isChunked = !!store.runtime.Parking;
    this.isZipped = isZipped;
    this.#skipUnchanged = skipUnchanged;
  }

  /** The operation of the server that is under way, and what earlier ones have stored. */
  get progress(): { operation: ServerOperation | undefined; stored: Stored } {
    return { operation: this.#operation, stored: this.#stored };
  }

  get isOpen(): boolean {
    return this.#hasBegun && !this.#cause && !this.#failure && !this.#ended;
  }

  /** Whether the server may still report progress. */
  get isUnderWay(): boolean {
    return !this.#isOver && !this.#failure;
  }

  /** Whether what waits must be flushed before more is added. */
  get isFull(): boolean {
    return this.#size + this.#group.size >= (this.#isChunked ? CHUNK : PIECE);
  }

  /** Begins the insert if it has not begun; rejects if it has failed or ended. */
  async begin(): Promise<void> {
    await this.#assertRunning();
    if (this.#ended) fail("InvalidOperation", "the bulk insert is finished: begin another one");
    if (this.#hasBegun) return;
    this.#operation = await ServerOperation.next(this.#store);
    this.#hasBegun = true;
    if (this.#isChunked) return;
    this.#body = new StreamedBody(this.isZipped);
    this.#sending = this.#send(this.#body, NONE);
  }

  async #assertRunning(): Promise<void> {
    if (this.#cause) await this.#sending;
    if (this.#failure) throw this.#failure;
  }

  /** Adds a command about a document. */
  add(command: string, id: string): void {
    this.#endGroup();
    this.#append(command, id);
  }

  /** Adds an item to a command that has several; `head`: what such a command begins with, `most`: its limit. */
  addItem(head: string, item: string, id: string, most: number): void {
    if (!this.#group.takes(head, most)) this.#endGroup();
    this.#group.add(head, item, id);
    this.#schedule();
  }

  #endGroup(): void {
    const { id } = this.#group;
    const command = this.#group.take();
    if (command) this.#append(command, id);
  }

  #append(command: string, id: string): void {
    this.#text += this.#text === "[" ? command : `,${command}`;
    this.#size += command.length + 1;
    if (this.#text.length > TEXT) {
      this.#parts.push(this.#text);
      this.#text = "";
    }
    if (this.#isChunked) this.#waiting = { count: this.#waiting.count + 1, lastId: id };
    this.#schedule();
  }

  /** Adds a command with the content that follows it. */
  async addContent(command: string, id: string, content: Blob | Uint8Array): Promise<void> {
    this.add(command, id);
    if (this.#isChunked) {
      // A view is copied: the app may use its buffer again.
      this.#parts.push(this.#text, content.slice() as Blob | Uint8Array<ArrayBuffer>);
      this.#text = "";
      this.#size += sizeOf(content);
      return;
    }
    this.#isInside = true;
    try {
      await this.#push();
      for (let at = 0; at < sizeOf(content); at += PIECE) {
        const piece = content.slice(at, at + PIECE);
        const bytes = isBlob(piece) ? new Uint8Array(await piece.arrayBuffer()) : piece;
        await this.#room();
        this.#body?.write(bytes);
      }
    } catch (error) {
      // The request cannot go on with another command.
      this.#stop(error as RavenEdgeError);
      await this.#assertRunning();
    } finally {
      this.#isInside = false;
    }
  }

  /** Sends what waits; resolves when more can be added. */
  flush(): Promise<void> {
    return this.#isChunked ? this.#sendChunk() : this.#push();
  }

  async #push(): Promise<void> {
    await this.#room();
    this.#endGroup();
    const texts = [...this.#parts, this.#text].filter((part) => typeof part === "string");
    this.#empty("");
    this.#body?.writeTexts(texts);
    this.#schedule();
  }

  async #room(): Promise<void> {
    const body = this.#body as StreamedBody;
    if (!body.hasRoom) await this.#patiently(body.room());
    await this.#assertRunning();
  }

  async #sendChunk(): Promise<void> {
    this.#endGroup();
    // Meanwhile the app has filled another chunk.
    await this.#sending;
    await this.#assertRunning();
    const held = this.#waiting;
    if (held.count === 0) return;
    const chunk = Chunk.of([...this.#parts, this.#text, "]"], this.isZipped);
    this.#empty("[");
    this.#sending = this.#send(chunk, held);
  }

  /** Sends a body. Resolves when what it holds is stored, or the insert has failed. */
  async #send(body: Transport | Promise<Transport>, held: Stored): Promise<void> {
    let verdict: Verdict | undefined;
    try {
      this.#operation ??= await ServerOperation.next(this.#store);
      verdict = await this.#operation.send(await body, this.#skipUnchanged, this.#store.timeout);
    } catch (error) {
      verdict = unknown(error as RavenEdgeError);
    }
    this.#operation = undefined;
    if (verdict) this.#fail(verdict);
    else this.#stored = { count: this.#stored.count + held.count, lastId: held.lastId };
  }

  /** Waits for the connection or the server. If the server makes no progress either for the store's time limit, the insert stops. */
  async #patiently(promise: Promise<unknown>): Promise<void> {
    const done = promise.then(() => true);
    const { timeout } = this.#store;
    let before: string | undefined;
    while (!this.#cause && !(await within(timeout, done))) {
      const state = JSON.stringify(await this.#operation?.state().catch(() => undefined));
      if (!state || state === before)
        this.#stop(new RavenEdgeError("Timeout", `the server took nothing for ${timeout} ms`));
      before = state;
    }
  }

  /** Sends what is not full soon, and a sign of life if there is nothing. */
  #schedule(): void {
    const isDueSoon = this.#size + this.#group.size > 0;
    if (this.#isChunked || isDueSoon === this.#isDueSoon) return;
    clearTimeout(this.#timer);
    this.#isDueSoon = isDueSoon;
    this.#timer = setTimeout(() => this.#tick(), isDueSoon ? SOON : HEARTBEAT);
  }

  async #tick(): Promise<void> {
    const isSignOfLife = !this.#isDueSoon;
    this.#isDueSoon = undefined;
    if (!this.isOpen || this.#isInside) return;
    if (isSignOfLife) this.#append('{"Type":"HeartBeat"}', "");
    await this.#body?.room();
    // A call that has come meanwhile sends it itself.
    if (this.isOpen && !this.#isInside) await this.#push().catch(() => {});
  }

  /** Nothing more is sent. */
  #stop(cause: RavenEdgeError): void {
    this.#cause ??= cause;
    this.#body?.stop();
    this.#empty("");
  }

  #empty(text: string): void {
    this.#parts = [];
    this.#text = text;
    this.#size = 0;
    this.#waiting = NONE;
    this.#group.take();
  }

  #fail({ count, lastId = this.#stored.lastId, type, reason, error }: Verdict): void {
    clearTimeout(this.#timer);
    const cause = this.#cause ?? error;
    const certain = lastId === undefined ? "nothing is certain to be stored" : `stored up to ${lastId}`;
    const failure = new RavenEdgeError(
      "BulkInsertAborted",
      `bulk insert: ${certain}: ${this.#cause?.message ?? reason}`,
      { type, status: error.status, request: error.request, cause },
    );
    this.#failure = Object.assign(failure, {
      name: "BulkInsertAbortedException",
      storedCount: this.#stored.count + count,
      ...(lastId !== undefined && { lastStoredId: lastId }),
    });
    this.#stop(failure);
  }

  /** Ends the insert on the server as far as it has not stored it. */
  async abort(): Promise<void> {
    if (!this.isOpen) return;
    const operation = this.#operation;
    const cause = new RavenEdgeError("Canceled", "the app has aborted it");
    this.#stop(cause);
    // If the server does not know the operation, it has received nothing yet.
    await operation?.kill().catch(() => {});
    await this.#sending;
    if (!this.#failure) this.#fail(unknown(cause));
  }

  /** Sends the rest, and waits for the server. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    await this.#assertRunning();
    if (!this.#hasBegun) return;
    await this.flush();
    clearTimeout(this.#timer);
    this.#body?.write(encoder.encode("]"));
    this.#body?.end();
    if (this.#body) await this.#patiently(this.#sending);
    await this.#sending;
    this.#isOver = true;
    if (this.#failure) throw this.#failure;
  }
}

export class CommandGroup {
  #head = "";
  #items = "";
  #count = 0;
  /** The document that it is about. */
  id = "";

  /** Approximate characters; 0: there is none. */
  get size(): number {
    return this.#items.length;
  }

  /** Whether an item of a command with this beginning can be added. */
  takes(head: string, most: number): boolean {
    return this.#count === 0 || (this.#head === head && this.#count < most);
  }

  add(head: string, item: string, id: string): void {
    this.#head = head;
    this.id = id;
    this.#items += this.#count++ === 0 ? item : `,${item}`;
  }

  /** Removes the command; `undefined` if there is none. */
  take(): string | undefined {
    const text = this.#count > 0 ? `${this.#head}${this.#items}]}}` : undefined;
    this.#items = "";
    this.#count = 0;
    return text;
  }
}
