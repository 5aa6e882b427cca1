// What a session can do and few apps use: loaded when it is first used.

export { Conditional, conditionalLoad } from "./conditional-load.js";
export { execute, operate } from "./execute.js";
export { exists } from "./exists.js";
export { loadIntoStream, loadStartingWithIntoStream } from "./into-stream.js";
export { LazyListing, LazyLoad, send } from "./lazily.js";
export { mended } from "./mended.js";
export { patched } from "./patched.js";
export { refresh } from "./refresh.js";
export { query, wait } from "./save-options.js";
export { saved } from "./saved.js";
export { loadStartingWith } from "./starting-with.js";

/** The node that the session's next request goes to. */
export function getCurrentSessionNode({ store }) {
  const url = store.getRequestExecutor().getUrl?.() ?? store.urls[0];
  return { url: url.replace(/\/+$/, ""), database: store.database };
}
