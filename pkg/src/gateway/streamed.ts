// Bodies that pass the gateway piece by piece. Each piece of RavenDB's response passes the core, which leaves out what the caller may not see;
// of the contents of attachments it writes the parts between them, and checks them.

import type { Ruling } from "../../gen/edge_gateway.js";
import { unless } from "./bodies.js";
import type { Exchange } from "./report.js";
import { MOST } from "./shared-reads.js";

/** A request to RavenDB that is under way, with its time limit. */
export interface Conversation {
  signal: AbortSignal;
  /** The time limit of each piece. */
  millis: number;
  abort(reason?: unknown): void;
  /** Something has arrived: the time limit begins anew. */
  progress(): void;
  /** The request is over. */
  close(): void;
}

/** A stream under way: the platform never resumes one whose caller has gone, so its memory is freed when the next one begins. */
interface Open {
  ruling: Ruling;
  /** When the last piece arrived. */
  at: number;
}

const streams = new Set<Open>();

/** Frees what has been still for so long that a time limit would have ended it. */
function freeForgotten(millis: number): void {
  for (const stream of streams) if (Date.now() - stream.at > 2 * millis) free(stream);
}

function free(stream: Open): void {
  if (streams.delete(stream)) stream.ruling.free();
}

/** What the caller gets of a body. */
interface Passage {
  /** Of a piece; `undefined`: the response must be cut. */
  piece(bytes: Uint8Array): Uint8Array | undefined;
  /** Behind the last piece; `undefined`: RavenDB's response was cut. */
  end(): string | undefined;
}

/** An attachment passes as it is. */
export const UNCHANGED: Passage = { piece: (bytes) => bytes, end: () => "" };

/**
 * Reads a piece from RavenDB when the caller has read the previous one. Frees the ruling at the end, also after a disconnect.
 * `passage`: default the core, which leaves out what the caller may not see.
 */
export function streamed<Env>(
  { ruling, line }: Exchange<Env>,
  upstream: ReadableStream<Uint8Array>,
  conversation: Conversation,
  passage: Passage = ruling,
): ReadableStream<Uint8Array> {
  freeForgotten(conversation.millis);
  const stream: Open = { ruling, at: Date.now() };
  streams.add(stream);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const pass = async () => {
    for await (const value of piecesOf(upstream, conversation)) {
      stream.at = Date.now();
      const shown = passage.piece(value);
      if (shown === undefined) throw new Error("RavenDB's stream cannot be forwarded");
      // A piece may consist of hidden documents alone. A caller that does not read holds a transaction of RavenDB: it has the same
      // time limit for each piece.
      if (shown.length > 0) await unless(conversation.signal, writer.write(shown));
    }
    const end = passage.end();
    if (end === undefined) throw new Error("RavenDB's stream was cut");
    if (end) await writer.write(new TextEncoder().encode(end));
    await writer.close();
  };
  pass()
    .catch((error) => {
      line.note(error);
      conversation.abort(error);
      // Without its end the caller knows that the response was cut.
      return writer.abort(error);
    })
    .catch(() => {})
    .finally(() => {
      conversation.close();
      free(stream);
    });
  return readable;
}

/** The pieces of a body, each within the time limit. */
export async function* piecesOf(
  upstream: ReadableStream<Uint8Array>,
  conversation: Conversation,
): AsyncGenerator<Uint8Array> {
  const reader = upstream.getReader();
  for (;;) {
    const { done, value } = await unless(conversation.signal, reader.read());
    if (done) return;
    conversation.progress();
    yield value;
  }
}

/** Gives the ruling all results of a comparison; it has the response then. Resolves with them; with none if they are too many to keep. */
export async function compared(
  ruling: Ruling,
  results: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  conversation: Conversation,
): Promise<Uint8Array[]> {
  let pieces: Uint8Array[] = [];
  let left = MOST;
  try {
    for await (const piece of results) {
      if (!ruling.compare(piece)) throw new Error("RavenDB's stream cannot be compared");
      left -= piece.length;
      if (left > 0) pieces.push(piece);
      else pieces = [];
    }
    if (!ruling.endComparison()) throw new Error("RavenDB's stream was cut");
    return pieces;
  } catch (error) {
    conversation.abort(error);
    throw error;
  }
}

/** The caller's body while it is read. */
export type Pieces = ReadableStreamDefaultReader<Uint8Array>;

/** Reads the commands of a save, which stand before its contents. Returns the rest of the body; nothing if the core refuses it. */
export async function readCommands(
  ruling: Ruling,
  body: ReadableStream<Uint8Array> | null,
): Promise<Pieces | undefined> {
  const pieces = (body ?? new Blob().stream()).getReader();
  let isComplete = ruling.takeCommands(new Uint8Array());
  while (isComplete === false) {
    const { done, value } = await pieces.read();
    if (done) ruling.refuse("RequestMalformed", "the body ends within its commands");
    isComplete = done ? undefined : ruling.takeCommands(value);
  }
  if (isComplete) return pieces;
  pieces.cancel().catch(() => {});
  return undefined;
}

/** How much of a refused body is read, in bytes, and how long that may take, in milliseconds. */
const MOST_OF_REST = 1_048_576;
const REST_MILLIS = 1_000;

/**
 * Reads the rest of a refused body. Many callers read no response before they have sent everything: they would lose the refusal together with
 * the connection, and could not know what became of the save.
 */
export async function readRest(pieces: Pieces): Promise<void> {
  const signal = AbortSignal.timeout(REST_MILLIS);
  try {
    for (let length = 0; length < MOST_OF_REST; ) {
      const { done, value } = await unless(signal, pieces.read());
      if (done) return;
      length += value.length;
    }
  } catch {
    // The body has broken off, or takes too long.
  }
  pieces.cancel().catch(() => {});
}

/** The body of the request to RavenDB. If the core refuses the contents, or the caller's body breaks off, it fails before its end. */
export function uploaded(
  ruling: Ruling,
  pieces: Pieces,
  conversation: Conversation,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const checked = <Bytes>(bytes: Bytes | undefined): Bytes => {
    if (bytes === undefined) throw new Error("the contents of the attachments are refused");
    return bytes;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(ruling.sentBody()));
        const bytes = checked(ruling.takeContents(new Uint8Array()));
        if (bytes.length > 0) controller.enqueue(bytes);
      },
      async pull(controller) {
        for (;;) {
          const { done, value } = await unless(conversation.signal, pieces.read());
          conversation.progress();
          const bytes = checked(
            done ? encoder.encode(checked(ruling.endContents())) : ruling.takeContents(value),
          );
          // A piece may be held back as a whole, and nothing asks for more before something is there.
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) return controller.close();
          if (bytes.length > 0) return;
        }
      },
      cancel: () => pieces.cancel(),
    },
    { highWaterMark: 0 },
  );
}
