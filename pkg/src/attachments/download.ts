// Reads an attachment as it arrives.

import { AnyThis } from "../common/any-this.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { within } from "../common/time.js";
import type { CommandRequest } from "../operations/operation-types.js";
import type { PlatformRuntime } from "../runtime/platform.js";
import { ask, type CommandSender } from "../wire/command-request.js";
import { versionIn } from "../wire/headers.js";
import { query } from "../wire/query-string.js";
import type { Transport } from "../wire/transport.js";
import { assertNamed } from "./attachment-commands.js";
import type { AttachmentDetails, AttachmentResult } from "./attachment-types.js";

/** The members of a store that a download needs. */
export interface DownloadStore extends CommandSender {
  readonly runtime: PlatformRuntime;
  readonly timeout: number;
}

/** What is read of an attachment: all, the bytes of a range, or the attachment of a revision. */
interface Wanted {
  from?: number;
  to?: number | undefined;
  revision?: string;
}

export class Download {
  #documentId;
  #name;
  #wanted;
  #response: Response | undefined;

  constructor(documentId: string, name: string, wanted: Wanted = {}) {
    assertNamed({ "document id": documentId, name });
    const { from, to } = wanted;
    if (from !== undefined && !(Number.isSafeInteger(from) && from >= 0 && (to === undefined || to >= from)))
      fail("InvalidArgument", "a range is two numbers of bytes: from 0, and up to the last byte, included");
    this.#documentId = documentId;
    this.#name = name;
    this.#wanted = wanted;
  }

  get route(): string {
    return `attachments?${query(Object.entries({ id: this.#documentId, name: this.#name }))}`;
  }

  /** The request, whose response is kept for {@link take}. */
  get request(): CommandRequest {
    const { from, to, revision } = this.#wanted;
    const body = revision && JSON.stringify({ Type: "Revision", ChangeVector: revision });
    this.#response = undefined;
    const send: Transport["send"] = async (send, url, init) => {
      if (from !== undefined) init.headers.set("Range", `bytes=${from}-${to ?? ""}`);
      if (!body) init.headers.delete("Content-Type");
      const response = await send(url, { ...init, body: body ?? null });
      if (!response.ok) return response;
      // Its body does not enter the core.
      this.#response = response;
      return new Response(null, { headers: response.headers });
    };
    return { method: body ? "POST" : "GET", route: this.route, text: { send }, safe: true };
  }

  /** What the response to the request says; `null`: there is no such attachment. */
  take(store: DownloadStore): AttachmentResult | null {
    const response = this.#response;
    return response ? new Content(store, response, this.#details(response.headers)) : null;
  }

  /** Resolves when the content begins to arrive; with `null` if there is no such attachment. */
  async open(store: DownloadStore): Promise<AttachmentResult | null> {
    try {
      await ask(store, this.request);
    } catch (error) {
      if ((error as RavenEdgeError).status !== 416) throw error;
      const { from } = this.#wanted;
      fail("InvalidArgument", `the attachment ${this.#name} has no bytes from ${from} on`, { cause: error });
    }
    return this.take(store);
  }

  #details(headers: Headers): AttachmentDetails {
    return {
      name: this.#name,
      documentId: this.#documentId,
      contentType: headers.get("Content-Type") ?? "",
      hash: headers.get("Attachment-Hash") ?? "",
      // `null` without an ETag, as in npm `ravendb`: empty would mean "must not exist".
      changeVector: versionIn(headers) as string,
      size: Number(headers.get("Attachment-Size")),
    };
  }
}

class Content extends AnyThis implements AttachmentResult {
  readonly details;
  #node;
  #reader;
  #stream;
  #data: object | undefined;
  /** Bytes that must still come. */
  #left;

  constructor({ runtime, timeout }: DownloadStore, response: Response, details: AttachmentDetails) {
    super();
    this.details = details;
    this.#node = runtime.node;
    const { body, headers } = response;
    this.#left = bytesIn(headers, details.size);
    // An empty content has no body on some platforms.
    this.#reader = (body ?? new Blob().stream()).getReader();
    this.#stream = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await this.#next(timeout);
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => this.dispose(),
      },
      { highWaterMark: 0 },
    );
  }

  /** As in npm `ravendb` where Node's streams are; elsewhere a stream of the platform. */
  get data(): AttachmentResult["data"] {
    this.#data ??= this.#node?.readableOf(this.#stream) ?? iterable(this.#stream);
    return this.#data as AttachmentResult["data"];
  }

  async #next(timeout: number): Promise<ReadableStreamReadResult<Uint8Array>> {
    const { name } = this.details;
    const piece = await within(timeout, this.#reader.read()).catch((cause: unknown) => {
      const reason = (cause as Error | undefined)?.message ?? cause;
      throw new RavenEdgeError("Unreachable", `the attachment ${name} broke off: ${reason}`, { cause });
    });
    if (!piece) fail("Timeout", `nothing more of the attachment ${name} came within ${timeout} ms`);
    this.#left -= piece.value?.byteLength ?? 0;
    if (piece.done && this.#left > 0)
      fail("BadAnswer", `the attachment ${name} was cut off: ${this.#left} bytes are missing`);
    return piece;
  }

  blob(): Promise<Blob> {
    return this.#whole().blob();
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole().arrayBuffer();
  }

  text(): Promise<string> {
    return this.#whole().text();
  }

  #whole(): Response {
    const { contentType, name } = this.details;
    if (this.#stream.locked)
      fail("InvalidOperation", `the content of the attachment ${name} can be read once`);
    return new Response(this.#stream, { headers: contentType ? { "Content-Type": contentType } : {} });
  }

  dispose(): void {
    this.#left = 0;
    this.#reader.cancel().catch(() => {});
  }
}

/** Bytes in a response: `Content-Range` has those of a range. */
function bytesIn(headers: Headers, size: number): number {
  const [, from, to] = /^bytes (\d+)-(\d+)/.exec(headers.get("Content-Range") ?? "") ?? [];
  return to === undefined ? size : Number(to) - Number(from) + 1;
}

/** A stream that can be iterated, also in Safari. */
function iterable(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (Symbol.asyncIterator in stream) return stream;
  return Object.defineProperty(stream, Symbol.asyncIterator, {
    value: async function* () {
      const reader = (stream as ReadableStream<Uint8Array>).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    },
  });
}
