// `session.advanced.stream`, until its part is loaded.

import { later } from "../runtime/load-part.js";

/** A stream to be awaited, as with npm `ravendb`, or to be gone through at once; see `open` in `apart/stream.js`. */
export function stream(...given) {
  let documents;
  const loaded = later("stream").then(({ open }) => open(...given));
  const opened = loaded.then((stream) => {
    documents = stream.documents;
    return stream.opened;
  });
  const call = (name, value) =>
    documents ? documents[name](value) : loaded.then((stream) => stream.documents[name](value));
  const iterate = () => {
    // Who goes through it is told by `next`.
    opened.catch(() => {});
    const end = (value) => call("return", value);
    const iterator = { next: () => call("next"), return: end, [Symbol.asyncIterator]: () => iterator };
    iterator[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")] = end;
    return iterator;
  };
  return Object.assign(opened, { [Symbol.asyncIterator]: iterate });
}
