// A `fetch` whose response the test provides piece by piece.
const encoder = new TextEncoder();

/** A document as it appears in a stream. */
export const streamed = (n, fields = {}) =>
  JSON.stringify({
    n,
    ...fields,
    "@metadata": {
      "@collection": "Orders",
      "@change-vector": `A:${n}-F9GIcvLYUUm7BrLVOtbSJg`,
      "@id": `orders/${n}-A`,
      "@last-modified": "2026-11-20T10:00:00.0000000Z",
    },
  });

/** The response with documents 1 to `count`. */
export const responseOf = (count) =>
  `{"Results":[${Array.from({ length: count }, (_, i) => streamed(i + 1)).join(",")}]}`;

/**
 * `next(pull)` returns the piece for this pull, a text or bytes; `undefined` ends the response; a promise delays it;
 * an `Error` breaks the connection. The feed reports how often it was pulled, what was requested, and whether the
 * reader has cancelled.
 */
export function feed(next, { status = 200 } = {}) {
  const made = { pulls: 0, requests: [], cancelled: false, signal: undefined };
  made.fetch = async (url, { method, body, signal }) => {
    made.requests.push({
      method,
      url,
      body: typeof body === "string" ? body : body && new TextDecoder().decode(body),
    });
    made.signal = signal;
    const source = {
      async pull(controller) {
        const piece = await next(made.pulls++);
        if (piece === undefined) controller.close();
        else if (piece instanceof Error) controller.error(piece);
        else controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
      },
      cancel() {
        made.cancelled = true;
      },
    };
    return new Response(new ReadableStream(source, { highWaterMark: 0 }), { status });
  };
  return made;
}

/** Provides the pieces one after the other. */
export const pieces = (list) => (at) => list[at];

/** Splits a text into pieces of this many bytes. */
export function cut(text, size) {
  const bytes = encoder.encode(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  );
}
