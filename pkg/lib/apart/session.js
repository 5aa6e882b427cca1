// What a session can do and few apps use: fetched when it is first used.

export { Conditional, conditionalLoad } from "./conditional-load.js";
export { loadIntoStream, loadStartingWithIntoStream } from "./into-stream.js";

/** The node that the session's next request goes to. */
export function getCurrentSessionNode({ store }) {
  const url = store.getRequestExecutor().getUrl?.() ?? store.urls[0];
  return { url: url.replace(/\/+$/, ""), database: store.database };
}
