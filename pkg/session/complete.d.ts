/**
 * All of `raven-edge/session` in one piece, for service workers: see `raven-edge/complete`.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge/session/complete";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * ```
 */

export * from "../session.js";
export { default } from "../session.js";
