// Bodies of requests and responses of the gateway.

import { REQUEST_ID } from "../logging/request-line.js";
import type { Exchange } from "./report.js";

/** `body`: that of a stream. */
export function responseOf<Env>(
  { ruling, request, line }: Exchange<Env>,
  body?: ReadableStream<Uint8Array>,
): Response {
  const head: { status: number; headers: [string, string][] } = JSON.parse(ruling.head());
  head.headers.push([REQUEST_ID, line.id]);
  const bytes = ruling.body() as Uint8Array<ArrayBuffer>;
  line.end(head.status, head.status < 400 ? "" : new TextDecoder().decode(bytes));
  if (body !== undefined) return new Response(body, head);
  // Answers of these statuses must not have a body, not even an empty one.
  const empty = bytes.length === 0 || request.method === "HEAD";
  return new Response(empty ? null : bytes, head);
}

/** The bytes of a body, or nothing if there are more than `most`. */
export async function whole(
  body: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => {});
      return undefined;
    }
  }
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The value of a promise, or an error as soon as the signal is aborted: an app's own `fetch` might ignore the signal. */
export function unless<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    promise.then(resolve, reject);
  });
}
