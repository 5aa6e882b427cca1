// The response that the core has made.

import { REQUEST_ID } from "../logging/request-line.js";
import type { Exchange } from "./report.js";

interface Head {
  status: number;
  headers: [string, string][];
}

/** `body`: that of a stream. */
export function responseOf<Env>(
  { ruling, request, line }: Exchange<Env>,
  body?: ReadableStream<Uint8Array>,
): Response {
  const head: Head = JSON.parse(ruling.head());
  head.headers.push([REQUEST_ID, line.id]);
  const bytes = ruling.body() as Uint8Array<ArrayBuffer>;
  line.end(head.status, head.status < 400 ? "" : new TextDecoder().decode(bytes));
  if (body !== undefined) return new Response(body, head);
  // Answers of these statuses must not have a body, not even an empty one.
  const empty = bytes.length === 0 || request.method === "HEAD";
  return new Response(empty ? null : bytes, head);
}
