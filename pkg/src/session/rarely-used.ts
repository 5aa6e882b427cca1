// What sessions can do and few apps use: loaded when it is first used.

import type { SessionState } from "./session-state.js";

export { converted } from "../documents/mapping/converted-documents.js";
export { Conditional, conditionalLoad } from "../loading/conditional-load.js";
export { exists } from "../loading/exists.js";
export { LazyListing, LazyLoad, send } from "../loading/lazy-loads.js";
export { loadStartingWith } from "../loading/load-starting-with.js";
export { refresh } from "../loading/refresh.js";
export { execute, operate } from "../operations/execute.js";
export { warnOfEntityName } from "../runtime/minified-names.js";
export { saved } from "../saving/accept-after-wait-timeout.js";
export { followAll } from "../saving/follow-results.js";
export { refuseInexact } from "../saving/refuse-inexact.js";
export { repairedResults } from "../saving/repaired-json.js";
export { sendSpecial } from "../saving/send-special.js";
export { loadIntoStream, loadStartingWithIntoStream } from "../stream/load-into-stream.js";

/** The node that the session's next request goes to. */
export function getCurrentSessionNode({ store }: SessionState): { url: string; database: string } {
  const url: string = store.getRequestExecutor().getUrl?.() ?? store.urls[0];
  return { url: url.replace(/\/+$/, ""), database: store.database };
}
