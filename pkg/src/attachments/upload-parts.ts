// The content of uploads: what the app gives, and how it becomes one body.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { encoder } from "../common/text-codec.js";
import { isArrayBuffer, isBlob } from "../common/value-kinds.js";
import type { AttachmentData, AttachmentProgress } from "./attachment-types.js";

/** Bytes of a piece that is cut out of a content in memory. */
const PIECE = 65_536;

/** A part of a body. `size`: bytes; `undefined`: a stream. */
export interface UploadPart {
  readonly content: AttachmentData;
  readonly size: number | undefined;
  /** For errors. */
  readonly name?: string;
  readonly onProgress?: AttachmentProgress | undefined;
}

/** Streams that were sent, or that are being sent: they can be read once. */
const used = new WeakSet<object>();

export const isView = (content: unknown): content is ArrayBufferView => ArrayBuffer.isView(content);

export function isStream(
  content: unknown,
): content is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> {
  return (
    isObject(content) &&
    !isView(content) &&
    (typeof content.getReader === "function" || Symbol.asyncIterator in content)
  );
}

/** Refuses what cannot be sent, or was sent before. */
export function assertData(content: unknown, name: string): asserts content is AttachmentData {
  const isData =
    typeof content === "string" ||
    isBlob(content) ||
    isArrayBuffer(content) ||
    isView(content) ||
    isStream(content);
  if (!isData)
    fail("InvalidArgument", `the attachment ${name} needs its content: a Blob, bytes, a text or a stream`);
}

/** Refuses a stream in a page: browsers stream no requests over HTTP/1.1. */
export function assertSendable(content: AttachmentData, name: string, isPage: boolean): void {
  if (isPage && isStream(content))
    fail(
      "Unsupported",
      `a page cannot send the stream ${name}: pass a File or Blob, for example await new Response(stream).blob()`,
    );
}

/** Whether it is a stream that was read before. */
export const wasRead = (content: AttachmentData): boolean =>
  isStream(content) && (used.has(content) || ("locked" in content && content.locked));

/** Refuses a stream that was read before. */
export function assertUnread(content: AttachmentData, name: string): void {
  if (wasRead(content))
    fail(
      "InvalidOperation",
      `the stream of the attachment ${name} was read already: store the attachment again with another stream`,
    );
}

/** Bytes of a content; `undefined` for a stream. */
export function sizeOf(content: AttachmentData): number | undefined {
  if (typeof content === "string") return encoder.encode(content).length;
  if (isBlob(content)) return content.size;
  return isStream(content) ? undefined : content.byteLength;
}

export const partOf = (content: AttachmentData, more: Partial<UploadPart> = {}): UploadPart => ({
  content,
  size: sizeOf(content),
  ...more,
});

/** The contents one after the other, in pieces. `onPiece` is called whenever another piece was taken. */
export async function* pieces(
  parts: readonly UploadPart[],
  onPiece: () => void,
): AsyncGenerator<Uint8Array, void> {
  for (const { content, size, name = "", onProgress } of parts) {
    let sent = 0;
    for await (const piece of piecesOf(content, name)) {
      onPiece();
      const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
      yield bytes;
      sent += bytes.byteLength;
      onProgress?.(sent, size);
    }
  }
}

function piecesOf(
  content: AttachmentData,
  name: string,
): Iterable<Uint8Array> | AsyncIterable<Uint8Array | string> {
  if (typeof content === "string") return sliced(encoder.encode(content));
  if (isBlob(content)) return read(content.stream());
  if (isView(content)) return sliced(new Uint8Array(content.buffer, content.byteOffset, content.byteLength));
  if (isArrayBuffer(content)) return sliced(new Uint8Array(content));
  assertUnread(content, name);
  used.add(content);
  return "getReader" in content ? read(content) : content;
}

/** In pieces, so that a slow connection makes progress. */
function* sliced(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** Not every browser can iterate a stream. A generator would add promises to each piece. */
function read(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
      async return() {
        // Of an upload that has failed, the rest is not read.
        reader.cancel().catch(() => {});
        return { done: true, value: undefined };
      },
    }),
  };
}
