// The body of an answer, piece by piece.

/** Memory for one piece. */
const PIECE = 65_536;

/**
 * What reads a body and what lets go of it. Where the engine can, every piece comes in the same memory: a piece is good
 * until the next one is read, and nothing is left behind for somebody to collect.
 */
export function reading(stream) {
  let reader;
  try {
    reader = stream.getReader({ mode: "byob" });
  } catch {
    // The app's own `fetch`, and Safari.
    reader = stream.getReader();
    return { read: () => reader.read(), cancel: () => reader.cancel() };
  }
  let memory = new ArrayBuffer(PIECE);
  const read = async () => {
    const { done, value } = await reader.read(new Uint8Array(memory));
    memory = value?.buffer;
    return { done, value };
  };
  return { read, cancel: () => reader.cancel() };
}
