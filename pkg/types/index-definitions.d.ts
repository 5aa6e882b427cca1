// What an index is: its definition, and how fields are indexed.

export * from "../dts/indexes/additional-assembly.js";
export * from "../dts/indexes/definition.js";
export { IndexDefinitionBuilder } from "../dts/indexes/definition-builder.js";
export * from "../dts/indexes/spatial.js";
