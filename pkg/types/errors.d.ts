// The one error type.

export { type ErrorCode, RavenEdgeError } from "../dts/common/error.js";
