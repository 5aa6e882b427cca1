// The contents of attachments on their way to RavenDB, piece by piece: the core checks them and writes the parts between them.

import type { Ruling } from "../../gen/edge_gateway.js";
import { unless } from "./bodies.js";
import type { Conversation } from "./streamed.js";

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
