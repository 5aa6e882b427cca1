// The exports for apps that deploy indexes. Bundlers leave out the classes that an app does not import.

export {
  AdditionalAssembly,
  IndexDefinition,
  IndexDefinitionBase,
  IndexDefinitionHelper,
  IndexFieldOptions,
} from "./definition.js";
export { IndexDefinitionBuilder } from "./definition-builder.js";
export { IndexCreation } from "./deploy.js";
export * from "./index-operations.js";
export * from "./index-settings.js";
export * from "./index-statistics.js";
export {
  AbstractCommonApiForIndexes,
  AbstractCsharpIndexCreationTask,
  // The names of npm `ravendb` before version 5.
  AbstractCsharpIndexCreationTask as AbstractIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask as AbstractMultiMapIndexCreationTask,
  AbstractRawJavaScriptIndexCreationTask,
} from "./index-tasks.js";
export {
  AbstractJavaScriptIndexCreationTask,
  AbstractJavaScriptMultiMapIndexCreationTask,
  BaseJavaScriptIndexCreationTask,
  IndexingGroupResults,
  IndexingMapReduceFormatter,
  IndexingReduceResults,
  StubMapUtils,
} from "./javascript-tasks.js";
export * from "./spatial-options.js";
export * from "./value-index-tasks.js";
