// How names, ids and values are made.

export type { IdConvention } from "../dts/store/convention-settings.js";
export { DocumentConventions } from "../dts/store/conventions.js";
