// Sends a body of any size: streamed where the platform streams request bodies, as a `Blob` in pages.

import { type ErrorCode, fail, RavenEdgeError } from "../common/error.js";
import { randomId } from "../wire/random-id.js";
import type { RequestParts, SendRequest, Transport } from "../wire/transport.js";
import type { PutAttachmentCommandData } from "./attachment-commands.js";
import { assertSendable, assertUnread, isStream, partOf, pieces, type UploadPart } from "./upload-parts.js";

/** Bytes up to which a body is sent like that of another request: as one, within the same time limit. */
const SMALL = 1 << 20;
/** The longest time of a timer, in milliseconds. */
const LONGEST = 2 ** 31 - 1;
/** Bytes per millisecond that a connection must manage at least, where the platform reports no progress. */
const SLOWEST = 32;

/**
 * Node's `fetch` keeps all of a body that is a stream, for a redirect, unless the request cannot be redirected and has no window
 * (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch). workerd does not know these options.
 */
export const ONCE = { redirect: "error", window: null } as const;

export class Upload implements Transport {
  #parts;
  #type;
  #size: number | undefined;
  /** Milliseconds; `undefined`: that of other requests. A large body may take as long as it needs, unless it stalls. */
  readonly limit: number | undefined;
  /** Whether a stream is being sent whose last piece was not handed over yet. */
  #isPartial = false;
  /** Why a content could not be read: the upload ended before its last byte, so the server has carried out nothing. */
  failure: RavenEdgeError | undefined;

  /** `type`: the content type of the body; empty: none. */
  constructor(parts: readonly UploadPart[], type: string) {
    this.#parts = parts;
    this.#type = type;
    this.#size = parts.some(({ content }) => isStream(content))
      ? undefined
      : parts.reduce((sum, { size = 0 }) => sum + size, 0);
    if (this.#size === undefined || this.#size > SMALL) this.limit = LONGEST;
  }

  async send(...given: Parameters<Transport["send"]>): Promise<Response> {
    const [send, url, init, limit, isPage, isolated] = given;
    try {
      for (const { content, name = "" } of this.#parts) assertSendable(content, name, isPage);
    } catch (error) {
      this.#fail("Unsupported", error);
      throw error;
    }
    const { headers } = init;
    if (this.#type) headers.set("Content-Type", this.#type);
    else headers.delete("Content-Type");
    if (this.limit === undefined) {
      const response = await send(url, { ...init, body: this.#blob() });
      reportProgress(this.#parts);
      return response;
    }
    const stall = new Stall(init.signal, limit);
    try {
      const sending = isPage
        ? this.#fromPage(send, url, init, stall)
        : this.#streamed(send, url, isolated ? init : { ...init, ...ONCE }, stall);
      const response = await Promise.race([sending, stall.happened]);
      // workerd sends a body that has failed to its end.
      if (this.failure) throw this.failure;
      return response;
    } catch (error) {
      if (error === stall.error && this.#isPartial) this.#fail("Timeout", error);
      throw error;
    } finally {
      stall.end();
    }
  }

  /** From a page: the browser reads the blob from the device as it sends it. */
  async #fromPage(send: SendRequest, url: string, init: RequestParts, stall: Stall): Promise<Response> {
    const request = { ...init, body: this.#blob(), signal: stall.signal };
    if (send === (globalThis.fetch as unknown) && typeof XMLHttpRequest === "function")
      return sendByXhr(url, request, (sent) => {
        stall.postpone();
        reportProgress(this.#parts, sent);
      });
    stall.postpone((this.#size as number) / SLOWEST);
    const response = await send(url, request);
    reportProgress(this.#parts);
    return response;
  }

  async #streamed(send: SendRequest, url: string, init: RequestParts, stall: Stall): Promise<Response> {
    const all = pieces(this.#parts, () => stall.postpone());
    this.#isPartial = true;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await all.next();
            this.#isPartial = !done;
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (cause) {
            this.#fail("InvalidOperation", cause);
            throw cause;
          }
        },
        cancel: async () => {
          await all.return();
        },
      },
      { highWaterMark: 0 },
    );
    return send(url, { ...init, body, signal: stall.signal, duplex: "half" } as RequestParts);
  }

  /** The upload ended before its last byte. What was sent has no end, so the server refuses it. */
  #fail(code: ErrorCode, cause: unknown): void {
    const message = `an upload ended too early: ${(cause as Error | undefined)?.message ?? cause}`;
    this.failure = cause instanceof RavenEdgeError ? cause : new RavenEdgeError(code, message, { cause });
    Object.assign(this.failure, { outcome: "not saved" });
  }

  /** All contents as one blob: none of them is copied out of files. */
  #blob(): Blob {
    return new Blob(this.#parts.map(({ content }) => content as BlobPart));
  }
}

/** Ends a request that makes no progress. */
class Stall {
  #controller = new AbortController();
  #limit;
  #millis = 0;
  /** When the request has made no progress for too long. */
  #due = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reject: (error: Error) => void = () => {};
  error: Error | undefined;
  /** Rejects with the error when nothing was sent for too long. */
  readonly happened: Promise<never>;

  /** `outer`: ends the request, too. */
  constructor(outer: AbortSignal | null | undefined, limit: number) {
    this.#limit = limit;
    this.happened = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.happened.catch(() => {});
    outer?.addEventListener("abort", () => this.#controller.abort(), { once: true });
    this.postpone();
    this.#wait(limit);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The request has made progress; `more`: milliseconds beyond the limit. */
  postpone(more = 0): void {
    this.#millis = Math.min(this.#limit + more, LONGEST);
    this.#due = performance.now() + this.#millis;
  }

  /** One timer for many pieces: setting one for each takes time and memory. */
  #wait(millis: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#due - performance.now();
      if (left > 0) this.#wait(left);
      else this.#end(new Error(`no progress for ${this.#millis} ms`));
    }, millis);
  }

  #end(error: Error): void {
    this.error = error;
    this.#reject(error);
    this.#controller.abort();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Calls the listener of each part with the bytes of it that were sent, of `sent` bytes of the whole body. */
export function reportProgress(parts: readonly UploadPart[], sent = Number.POSITIVE_INFINITY): void {
  let before = 0;
  for (const { size = 0, onProgress } of parts) {
    if (sent > before || size === 0) onProgress?.(Math.min(sent - before, size), size);
    before += size;
  }
}

/** The statuses of responses that have no body. */
const EMPTY = [204, 205, 304];

/** Resolves with the response; rejects as `fetch` does. `onProgress` gets the bytes that were sent so far. */
export function sendByXhr(
  url: string,
  { method = "POST", headers, body, signal }: RequestParts,
  onProgress: (sent: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const lost = () => reject(new TypeError("Failed to fetch"));
    xhr.open(method, url);
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.responseType = "arraybuffer";
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded);
    xhr.onload = () => {
      const { status } = xhr;
      const content = EMPTY.includes(status) ? null : (xhr.response as ArrayBuffer);
      resolve(new Response(content, { status, headers: headersOf(xhr.getAllResponseHeaders()) }));
    };
    xhr.onerror = lost;
    xhr.onabort = lost;
    signal?.addEventListener("abort", () => xhr.abort(), { once: true });
    xhr.send(body as Blob);
  });
}

/** The headers of a response, from their text. */
function headersOf(text: string): Headers {
  const headers = new Headers();
  for (const line of text.split("\r\n")) {
    const at = line.indexOf(":");
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}

type StoredContent = Pick<PutAttachmentCommandData, "attStream" | "name"> & Partial<PutAttachmentCommandData>;

/**
 * `text`: the commands as JSON. `puts`: those that store attachments; `undefined` without any: the text is the whole body.
 *
 * Contents always travel in parts, also a single one: workerd ends the body of a request properly although its stream has failed, and
 * only the missing end of the last part tells RavenDB so.
 */
export function uploadOf(text: string, puts: readonly StoredContent[]): Upload | undefined {
  if (puts.length === 0) return undefined;
  const boundary = `raven-edge-${randomId()}`;
  const begin = (type: string) => partOf(`--${boundary}\r\nContent-Type: ${type}\r\n\r\n`);
  const parts: UploadPart[] = [begin("application/json"), partOf(text)];
  const streams = new Set<object>();
  for (const { attStream, name, onProgress } of puts) {
    assertUnread(attStream, name);
    if (isStream(attStream) && streams.size === streams.add(attStream).size)
      fail(
        "InvalidOperation",
        `the stream of the attachment ${name} cannot be sent twice: give each its own`,
      );
    parts.push(partOf("\r\n"), begin("application/octet-stream"));
    parts.push(partOf(attStream, { name, onProgress }));
  }
  parts.push(partOf(`\r\n--${boundary}--\r\n`));
  return new Upload(parts, `multipart/mixed; boundary=${boundary}`);
}
