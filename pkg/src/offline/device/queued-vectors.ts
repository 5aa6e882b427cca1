// What stands for the change vector of a document that waits on the device. The server has not given it one, and an empty one would
// say that the document must not exist. It names the text that was shown: given back, it means what was built on that text.

const PREFIX = "queued:";

/** For a document that waits, without a text that the device knows: no document has this change vector. */
export const UNKNOWN_TEXT = PREFIX;

/** The change vector of a document that waits, by the text of the command that writes it. */
export function queuedVector(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b + unit, 0x9e3779b1) ^ (b >>> 15);
  }
  return `${PREFIX}${[a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("")}`;
}

export const isQueuedVector = (vector: string | null | undefined): vector is string =>
  !!vector?.startsWith(PREFIX);
