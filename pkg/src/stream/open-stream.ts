// `session.advanced.stream`, until its part is loaded.

import { loadPart, type Parts } from "../runtime/load-part.js";
import type { StreamResult } from "./stream-types.js";

/** `open` in `document-iterator.ts`. */
type Open = Parts["stream"]["open"];

/** The iterator; the symbol of its disposal depends on the platform. */
type Iterator = AsyncIterableIterator<StreamResult, unknown> & { [name: symbol]: unknown };

/** A stream that can be awaited, as in npm `ravendb`, or iterated at once. */
export function stream(...given: Parameters<Open>): ReturnType<Open>["opened"] & AsyncIterable<StreamResult> {
  let documents: ReturnType<Open>["documents"] | undefined;
  const loaded = loadPart("stream").then(({ open }) => open(...given));
  const opened = loaded.then((stream) => {
    documents = stream.documents;
    return stream.opened;
  });
  const call = (name: "next" | "return", value?: unknown) =>
    documents ? documents[name](value) : loaded.then((stream) => stream.documents[name](value));
  const iterate = (): Iterator => {
    // A loop gets the error from `next`.
    opened.catch(() => {});
    const end = (value?: unknown) => call("return", value);
    const iterator: Iterator = {
      next: () => call("next"),
      return: end,
      [Symbol.asyncIterator]: () => iterator,
    };
    iterator[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")] = end;
    return iterator;
  };
  return Object.assign(opened, { [Symbol.asyncIterator]: iterate });
}
