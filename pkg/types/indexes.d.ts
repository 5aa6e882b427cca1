// Indexes as classes of the app.

export * from "../dts/indexes/index-creation.js";
export {
  AbstractCommonApiForIndexes,
  AbstractCsharpIndexCreationTask,
  /** By these names in npm `ravendb` before version 5. */
  AbstractCsharpIndexCreationTask as AbstractIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask as AbstractMultiMapIndexCreationTask,
  AbstractGenericIndexCreationTask,
  AbstractIndexCreationTaskBase,
  AbstractRawJavaScriptIndexCreationTask,
  type IAbstractIndexCreationTask,
} from "../dts/indexes/index-tasks.js";
export * from "../dts/indexes/javascript-tasks.js";
export type * from "../dts/indexes/map-functions.js";
