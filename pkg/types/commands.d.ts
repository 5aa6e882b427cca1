// Requests that are not part of a session.

export type { RavenCommand } from "../dts/operations/command.js";
export * from "../dts/operations/document-commands.js";
export type { HttpCache, RequestExecutor } from "../dts/store/request-executor-types.js";
