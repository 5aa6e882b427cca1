// The body of an answer, piece by piece.

/** Memory for one piece. */
const PIECE = 65_536;

/**
 * What reads a body and what lets go of it. `isolated`: in workerd, whose pieces are small, every piece comes in the same
 * memory: it is good until the next one is read, and nothing is left behind for somebody to collect. Node is faster without.
 */
export function reading(stream, isolated) {
  let reader;
  try {
    reader = stream.getReader(isolated ? { mode: "byob" } : undefined);
  } catch {
    // The app's own `fetch` may give another kind of body.
    reader = stream.getReader();
    isolated = false;
  }
  let memory = new ArrayBuffer(isolated ? PIECE : 0);
  const again = async () => {
    const { done, value } = await reader.read(new Uint8Array(memory));
    memory = value?.buffer;
    return { done, value };
  };
  return { read: isolated ? again : () => reader.read(), cancel: () => reader.cancel() };
}
