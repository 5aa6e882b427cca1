// What apps import that bring indexes along. A bundler leaves out what is not imported.

export { AdditionalAssembly } from "./assembly.js";
export { IndexDefinitionBuilder } from "./builder.js";
export { IndexCreation } from "./creation.js";
export {
  IndexDefinition,
  IndexDefinitionBase,
  IndexDefinitionHelper,
  IndexFieldOptions,
} from "./definition.js";
export {
  AbstractJavaScriptIndexCreationTask,
  AbstractJavaScriptMultiMapIndexCreationTask,
  BaseJavaScriptIndexCreationTask,
  IndexingGroupResults,
  IndexingMapReduceFormatter,
  IndexingReduceResults,
  StubMapUtils,
} from "./javascript.js";
export * from "./operations.js";
export * from "./spatial.js";
export {
  AbstractCommonApiForIndexes,
  AbstractCsharpIndexCreationTask,
  // As npm `ravendb` called them before version 5.
  AbstractCsharpIndexCreationTask as AbstractIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask as AbstractMultiMapIndexCreationTask,
  AbstractRawJavaScriptIndexCreationTask,
} from "./task.js";
