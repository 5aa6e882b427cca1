// A `fetch` in the same process whose responses stream documents: the rest is the client's work.
import { KINDS as KIND } from "../session/kinds.mjs";

const encoder = new TextEncoder();

/** About the chunk size of Node's `fetch`. */
const PIECE = 32768;
/** Different documents, which are repeated. */
const KINDS = 1_000;

const texts = Array.from({ length: KINDS }, (_, i) =>
  JSON.stringify({
    ...KIND.plain.stored(i),
    "@metadata": {
      "@collection": "Orders",
      "@change-vector": `A:${1_000 + i}-F9GIcvLYUUm7BrLVOtbSJg`,
      "@id": `orders/${i + 1}-A`,
      "@last-modified": "2026-11-20T10:00:00.0000000Z",
    },
  }),
);

/** The pieces of a response with `count` documents, which repeat the same bytes. */
function* pieces(count, { head, between, tail }) {
  const round = encoder.encode(texts.join(between) + between);
  yield encoder.encode(head);
  for (let left = count; left > 0; left -= KINDS) {
    const bytes = left > KINDS ? round : encoder.encode(texts.slice(0, left).join(between));
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.slice(at, at + PIECE);
  }
  yield encoder.encode(tail);
}

const PLAIN = { head: '{"Results":[', between: ",", tail: "]}" };
const LINES = { head: "", between: "\n", tail: "\n" };

/** A `fetch` for clients; each client needs its own response format. */
export const transport = (count) => async (input) => {
  const form = String(input?.url ?? input).includes("format=jsonl") ? LINES : PLAIN;
  const source = pieces(count, form);
  const body = new ReadableStream(
    {
      pull(controller) {
        const { done, value } = source.next();
        if (done) controller.close();
        else if (value.length > 0) controller.enqueue(value);
      },
    },
    { highWaterMark: 2 },
  );
  return new Response(body, { headers: { "Content-Type": "application/json" } });
};
