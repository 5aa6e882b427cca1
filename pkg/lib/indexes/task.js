// Indexes as classes: an app extends one of them and says in the constructor what is indexed.

import { fail } from "../error.js";
import { configurationOf, definitionOf } from "./builder.js";
import { IndexDefinition } from "./definition.js";
import { PutIndexesOperation } from "./operations.js";
import { SpatialOptionsFactory } from "./spatial.js";

/** Names that minifiers make. */
const SHORT = /^.{0,3}$/s;
const warned = new Set();

export class AbstractCommonApiForIndexes {
  additionalSources;
  additionalAssemblies;
  configuration = {};

  get isMapReduce() {
    return false;
  }

  /** The name of the class, with `/` for `_`. */
  getIndexName() {
    const { name } = this.constructor;
    if (SHORT.test(name) && !warned.has(this.constructor)) {
      warned.add(this.constructor);
      console.warn(
        `raven-edge: an index is called "${name}" after its class, a name that a minifier may have made; ` +
          'say its name: getIndexName() { return "Orders/ByTotal"; }',
      );
    }
    return AbstractCommonApiForIndexes.getIndexNameForCtor(name);
  }

  static getIndexNameForCtor(indexCtorName) {
    return indexCtorName.replaceAll("_", "/");
  }
}

export class AbstractIndexCreationTaskBase extends AbstractCommonApiForIndexes {
  conventions;
  priority;
  lockMode;
  deploymentMode;
  archivedDataProcessingBehavior;
  searchEngineType;
  state;
  compoundFieldsStrings;

  compoundField(firstField, secondField) {
    this.compoundFieldsStrings ??= [];
    this.compoundFieldsStrings.push([firstField, secondField]);
  }

  /** Sends the definition to the server. */
  async execute(store, conventions, database) {
    await send([this], store, conventions, database, {});
  }

  /** Sends the definitions of several indexes in one request. The store calls it, so that it has no code of indexes. */
  executeAll(tasks, store, database) {
    return send(tasks, store, store.conventions, database);
  }
}

/** What definitions that are sent together say where the app says nothing. */
const NORMAL = { priority: "Normal", state: "Normal" };

/** Sends the definitions of indexes in one request. */
export async function send(tasks, store, conventions, database, defaults = NORMAL) {
  const definitions = definitionsOf(tasks, conventions ?? store.conventions, defaults);
  await store.maintenance
    .forDatabase(database ?? store.database)
    .send(new PutIndexesOperation(...definitions));
}

/** The definitions of indexes under the conventions of a store. */
export function definitionsOf(tasks, conventions, defaults = NORMAL) {
  return tasks.map((task) => definitionUnder(task, conventions, defaults));
}

function definitionUnder(task, conventions, defaults) {
  const before = task.conventions;
  try {
    task.conventions = conventions;
    const definition = task.createIndexDefinition();
    definition.name = task.getIndexName();
    for (const name of [
      "lockMode",
      "priority",
      "state",
      "archivedDataProcessingBehavior",
      "deploymentMode",
    ]) {
      const value = task[name] || defaults[name];
      if (value) definition[name] = value;
    }
    return definition;
  } finally {
    task.conventions = before;
  }
}

/** What is said by field. */
export class AbstractGenericIndexCreationTask extends AbstractIndexCreationTaskBase {
  storesStrings = {};
  indexesStrings = {};
  analyzersStrings = {};
  indexSuggestions = new Set();
  termVectorsStrings = {};
  spatialOptionsStrings = {};
  vectorOptionsStrings = {};
  outputReduceToCollection;
  patternForOutputReduceToCollectionReferences;
  patternReferencesCollectionName;

  index(field, indexing) {
    this.indexesStrings[field] = indexing;
  }

  spatial(field, indexing) {
    this.spatialOptionsStrings[field] = indexing(new SpatialOptionsFactory());
  }

  storeAllFields(storage) {
    this.store("__all_fields", storage);
  }

  store(field, storage) {
    this.storesStrings[field] = storage;
  }

  analyze(field, analyzer) {
    this.analyzersStrings[field] = analyzer;
  }

  termVector(field, termVector) {
    this.termVectorsStrings[field] = termVector;
  }

  suggestion(field) {
    this.indexSuggestions.add(field);
  }

  addAssembly(assembly) {
    if (!assembly) fail("InvalidArgument", "addAssembly takes an AdditionalAssembly");
    this.additionalAssemblies ??= [];
    this.additionalAssemblies.push(assembly);
  }

  vectorField(field, vector) {
    this.vectorOptionsStrings[field] = vector;
  }
}

/** An index in C#. */
export class AbstractCsharpIndexCreationTask extends AbstractGenericIndexCreationTask {
  map;
  reduce;

  get isMapReduce() {
    return !!this.reduce;
  }

  createIndexDefinition() {
    if (!this.map) fail("InvalidArgument", `the index ${this.getIndexName()} needs a map`);
    return definitionOf(this, [this.map], this.reduce);
  }
}

/** An index in C# over several collections. */
export class AbstractCsharpMultiMapIndexCreationTask extends AbstractGenericIndexCreationTask {
  #maps = [];
  reduce;

  get isMapReduce() {
    return !!this.reduce;
  }

  addMap(map) {
    if (!map) fail("InvalidArgument", "addMap takes the text of a map");
    this.#maps.push(map);
  }

  createIndexDefinition() {
    return definitionOf(this, this.#maps, this.reduce);
  }
}

/** An index in JavaScript whose maps are texts. */
export class AbstractRawJavaScriptIndexCreationTask extends AbstractIndexCreationTaskBase {
  maps = new Set();
  fields = {};
  reduce;
  outputReduceToCollection;
  patternReferencesCollectionName;
  patternForOutputReduceToCollectionReferences;

  get isMapReduce() {
    return !!this.reduce;
  }

  createIndexDefinition() {
    const { maps, fields, reduce, outputReduceToCollection } = this;
    return Object.assign(new IndexDefinition(), {
      name: this.getIndexName(),
      type: this.isMapReduce ? "JavaScriptMapReduce" : "JavaScriptMap",
      maps,
      fields,
      reduce,
      outputReduceToCollection,
      patternReferencesCollectionName: this.patternReferencesCollectionName,
      patternForOutputReduceToCollectionReferences: this.patternForOutputReduceToCollectionReferences,
      additionalSources: this.additionalSources ?? {},
      additionalAssemblies: this.additionalAssemblies ?? [],
      configuration: configurationOf(
        this,
        Object.values(fields).some(({ vector }) => vector),
      ),
      lockMode: this.lockMode,
      priority: this.priority,
      state: this.state,
      deploymentMode: this.deploymentMode,
    });
  }
}
