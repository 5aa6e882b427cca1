// Reads the body of a response piece by piece.

/** Bytes of memory for one piece. */
const PIECE = 65_536;

/** A piece of a body; `done`: there is none left. */
export interface Piece {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

export interface BodyReader {
  read(): Promise<Piece>;
  cancel(): Promise<void>;
}

/**
 * A reader of a body. `isolated`: in workerd, whose pieces are small, all pieces share one buffer, so that none is left to the
 * garbage collector. A piece is then valid only until the next one is read. Node is faster with a buffer for each piece.
 */
export function bodyReader(stream: ReadableStream<Uint8Array>, isolated: boolean): BodyReader {
  let reader: ReadableStreamReader<Uint8Array>;
  try {
    reader = stream.getReader(isolated ? { mode: "byob" } : undefined);
  } catch {
    // The app's own `fetch` may give another kind of body.
    reader = stream.getReader();
    isolated = false;
  }
  let memory = new ArrayBuffer(isolated ? PIECE : 0);
  const readInto = async (): Promise<Piece> => {
    const { done, value } = await (reader as ReadableStreamBYOBReader).read(new Uint8Array(memory));
    memory = value?.buffer as ArrayBuffer;
    return { done, value };
  };
  return {
    read: isolated ? readInto : () => (reader as ReadableStreamDefaultReader<Uint8Array>).read(),
    cancel: () => reader.cancel(),
  };
}
