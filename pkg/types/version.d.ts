// Which build this is.

export { version } from "../dts/common/version.js";
