// Indexes whose maps and reduces are JavaScript functions. The server runs their text, so they see nothing of the app.

import plural from "../../gen/plural.js";
import { DocumentConventions } from "../conventions.js";
import { fail } from "../error.js";
import { definitionOf } from "./builder.js";
import { IndexDefinitionHelper } from "./definition.js";
import { AbstractGenericIndexCreationTask } from "./task.js";

/** What map functions call by `this.mapUtils()`: the server knows these names, here they are nothing. */
export class StubMapUtils {
  load;
  cmpxchg;
  getMetadata;
  id;
  createSpatialField;
  createField;
  createVector;
  attachmentsFor;
  loadAttachment;
  loadAttachments;
  loadVector;
  noTracking;
}

export class IndexingMapReduceFormatter {
  #groupBy;
  #aggregate;

  constructor(groupBy, aggregate) {
    this.#groupBy = groupBy;
    this.#aggregate = aggregate;
  }

  format() {
    return `groupBy(${this.#groupBy}).aggregate(${this.#aggregate})`;
  }
}

export class IndexingReduceResults {
  #group;

  constructor(selector) {
    this.#group = selector;
  }

  aggregate(reducer) {
    return new IndexingMapReduceFormatter(this.#group, reducer);
  }
}

export class IndexingGroupResults {
  groupBy(selector) {
    return new IndexingReduceResults(selector);
  }
}

/** A text between single quotes. */
const quoted = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'")}'`;

export class BaseJavaScriptIndexCreationTask extends AbstractGenericIndexCreationTask {
  #enums = [];

  /** The conventions that name collections, until the index is sent. */
  conventions = new DocumentConventions();

  /** Has the text that a function gives, such as `Role.Admin`, replaced by its value: the server does not know the name. */
  registerEnum(provider) {
    const value = provider();
    const sourceCode = IndexDefinitionHelper.extractEnumNotation(`${provider}`);
    this.#enums.push([sourceCode, typeof value === "number" ? `${value}` : JSON.stringify(value)]);
  }

  /** The text of a map or reduce as it is sent; subclasses may change it further. `_origin`: `"map"` or `"reduce"`. */
  postProcessDefinition(definition, _origin) {
    return this.#enums.reduce((text, [name, value]) => text.replaceAll(name, () => value), definition);
  }
}

/** The text of a map over a collection, or over that of a class. */
function mapOf(task, collectionOrType, definition) {
  const collection =
    typeof collectionOrType === "string"
      ? collectionOrType
      : (task.conventions.findCollectionName?.(collectionOrType) ?? plural(collectionOrType.name));
  return task.postProcessDefinition(`map(${quoted(collection)}, ${definition})`, "map");
}

/** Adds a function that maps may call. */
function addSource(task, name, source) {
  const text = `${source}`;
  if (!name || !text.includes("function"))
    fail("InvalidOperation", "additional sources are functions with a name, not arrow functions");
  task.additionalSources = { ...task.additionalSources, [name]: text };
}

function reduceOf(task, mapReduce) {
  return task.postProcessDefinition(mapReduce(new IndexingGroupResults()).format(), "reduce");
}

/** An index over one collection. */
export class AbstractJavaScriptIndexCreationTask extends BaseJavaScriptIndexCreationTask {
  #map;
  #reduce;

  get isMapReduce() {
    return !!this.#reduce;
  }

  map(collectionOrDocumentType, definition) {
    if (this.#map)
      fail(
        "InvalidOperation",
        "this index has a map; one with several extends AbstractJavaScriptMultiMapIndexCreationTask",
      );
    this.#map = mapOf(this, collectionOrDocumentType, definition);
  }

  reduce(mapReduce) {
    this.#reduce = reduceOf(this, mapReduce);
  }

  addSource(nameOrFunction, source) {
    if (typeof nameOrFunction === "function") addSource(this, nameOrFunction.name, nameOrFunction);
    else addSource(this, nameOrFunction, source);
  }

  mapUtils() {
    return new StubMapUtils();
  }

  createIndexDefinition() {
    if (!this.#map) fail("InvalidArgument", `the index ${this.getIndexName()} needs a map`);
    return definitionOf(this, [this.#map], this.#reduce);
  }
}

/** An index over several collections. */
export class AbstractJavaScriptMultiMapIndexCreationTask extends BaseJavaScriptIndexCreationTask {
  #maps = [];
  #reduce;

  get isMapReduce() {
    return !!this.#reduce;
  }

  map(collectionOrDocumentType, definition) {
    this.#maps.push(mapOf(this, collectionOrDocumentType, definition));
  }

  reduce(mapReduce) {
    this.#reduce = reduceOf(this, mapReduce);
  }

  addSource(name, source) {
    addSource(this, name, source);
  }

  mapUtils() {
    return new StubMapUtils();
  }

  createIndexDefinition() {
    return definitionOf(this, this.#maps, this.#reduce);
  }
}
