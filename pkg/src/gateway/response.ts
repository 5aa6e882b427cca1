// The response that the core has made.

import type { Ruling } from "../../gen/edge_gateway.js";

/** `body`: that of a stream. */
export function responseOf(ruling: Ruling, request: Request, body?: ReadableStream<Uint8Array>): Response {
  const head: ResponseInit = JSON.parse(ruling.head());
  if (body !== undefined) return new Response(body, head);
  const bytes = ruling.body() as Uint8Array<ArrayBuffer>;
  // Answers of these statuses must not have a body, not even an empty one.
  const empty = bytes.length === 0 || request.method === "HEAD";
  return new Response(empty ? null : bytes, head);
}
