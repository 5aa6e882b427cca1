// What sessions can do and few apps use: loaded when it is first used.

import type { SessionState } from "./session-state.js";

export { converted } from "../documents/mapping/converted-documents.js";
export {
  conditional,
  conditionalLoad,
  exists,
  lazyByIds,
  lazyByPrefix,
  loadStartingWith,
  refresh,
  send,
} from "../loading/rare-loads.js";
export { execute, operate } from "../operations/execute.js";
export { warnOfEntityName } from "../runtime/minified-names.js";
export { followAll, refuseInexact, repairedResults, saved, sendSpecial } from "../saving/special-saves.js";
export { loadIntoStream, loadStartingWithIntoStream } from "../stream/load-into-stream.js";

/** The node that the session's next request goes to. */
export function getCurrentSessionNode({ store }: SessionState): { url: string; database: string } {
  const url: string = store.getRequestExecutor().getUrl?.() ?? store.urls[0];
  return { url: url.replace(/\/+$/, ""), database: store.database };
}
