// How much of each attachment of one upload was sent, for the apps' `onProgress`.

import type { UploadPart } from "./upload-parts.js";

/** Calls the listener of each part with the bytes of it that were sent, of `sent` bytes of the whole body. */
export function reportProgress(parts: readonly UploadPart[], sent = Number.POSITIVE_INFINITY): void {
  let before = 0;
  for (const { size = 0, onProgress } of parts) {
    if (sent > before || size === 0) onProgress?.(Math.min(sent - before, size), size);
    before += size;
  }
}
