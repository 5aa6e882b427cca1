// What the server does with indexes.

export * from "../dts/indexes/index-operations.js";
export * from "../dts/indexes/index-settings.js";
export * from "../dts/indexes/index-statistics.js";
