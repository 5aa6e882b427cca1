// Makes the definition of an index from lists by field: which are stored, analyzed, spatial, ….

import { fail } from "../error.js";
import { IndexDefinition, IndexFieldOptions } from "./definition.js";

/** Characters; the server's limit. */
const LONGEST_NAME = 256;
const ENGINE = "Indexing.Static.SearchEngineType";

/** What builder, definition and the apps' classes of indexes call the same. */
const SHARED = [
  "reduce",
  "lockMode",
  "priority",
  "state",
  "deploymentMode",
  "archivedDataProcessingBehavior",
  "outputReduceToCollection",
  "patternForOutputReduceToCollectionReferences",
  "patternReferencesCollectionName",
  "additionalSources",
  "additionalAssemblies",
  "configuration",
];

export class IndexDefinitionBuilder {
  #name;
  map;
  reduce;
  storesStrings = {};
  indexesStrings = {};
  analyzersStrings = {};
  suggestionsOptions = new Set();
  termVectorsStrings = {};
  spatialIndexesStrings = {};
  vectorFieldStrings = {};
  lockMode;
  priority;
  state;
  compoundFieldsStrings;
  deploymentMode;
  archivedDataProcessingBehavior;
  outputReduceToCollection;
  patternForOutputReduceToCollectionReferences;
  patternReferencesCollectionName;
  additionalSources;
  additionalAssemblies;
  configuration = {};

  constructor(indexName) {
    this.#name = indexName || this.constructor.name;
    if (this.#name.length > LONGEST_NAME)
      fail("InvalidArgument", `the name of an index has ${LONGEST_NAME} characters at most: ${this.#name}`);
  }

  toIndexDefinition(_conventions, validateMap = true) {
    if (!this.map && validateMap) fail("InvalidArgument", `the index ${this.#name} needs a map`);
    const definition = new IndexDefinition();
    definition.name = this.#name;
    for (const name of SHARED) definition[name] = this[name];
    definition.compoundFields = this.compoundFieldsStrings;
    if (this.map) definition.maps.add(this.map);
    const suggestions = Object.fromEntries([...this.suggestionsOptions].map((field) => [field, true]));
    for (const [option, values] of [
      ["indexing", this.indexesStrings],
      ["storage", this.storesStrings],
      ["analyzer", this.analyzersStrings],
      ["termVector", this.termVectorsStrings],
      ["spatial", this.spatialIndexesStrings],
      ["suggestions", suggestions],
      ["vector", this.vectorFieldStrings],
    ])
      for (const [field, value] of Object.entries(values)) {
        definition.fields[field] ??= new IndexFieldOptions();
        definition.fields[field][option] = value;
      }
    return definition;
  }
}

/** The configuration of an index with the search engine that it asks for; vectors are known to Corax alone. */
export function configurationOf({ configuration, searchEngineType }, hasVectors) {
  const asked = searchEngineType && searchEngineType !== "None" ? searchEngineType : hasVectors && "Corax";
  return asked ? { ...configuration, [ENGINE]: asked } : configuration;
}

/** The definition of an app's index, with these maps. */
export function definitionOf(task, maps, reduce) {
  const builder = new IndexDefinitionBuilder(task.getIndexName());
  for (const name of SHARED) builder[name] = task[name];
  Object.assign(builder, {
    reduce,
    storesStrings: task.storesStrings,
    indexesStrings: task.indexesStrings,
    analyzersStrings: task.analyzersStrings,
    suggestionsOptions: task.indexSuggestions,
    termVectorsStrings: task.termVectorsStrings,
    spatialIndexesStrings: task.spatialOptionsStrings,
    vectorFieldStrings: task.vectorOptionsStrings,
    compoundFieldsStrings: task.compoundFieldsStrings,
    configuration: configurationOf(task, Object.keys(task.vectorOptionsStrings).length > 0),
  });
  const definition = builder.toIndexDefinition(task.conventions, false);
  definition.maps = new Set(maps);
  return definition;
}
