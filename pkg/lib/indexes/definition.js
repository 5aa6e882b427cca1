// The definition of an index, as an app builds it and as the server gives it back.

import { fail } from "../error.js";
import { isText } from "../given.js";

/** A map in one line, without comments, in lower case: its first words tell its kind. */
const firstWords = (map) =>
  map
    .replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, "")
    .trim()
    .replace(/\s+/g, " ")
    .toLowerCase();

/** C# begins with `from`, or with what is indexed; `timeseries.map(…)` and `counters.map(…)` are JavaScript. */
const CSHARP = /^(from|docs|(timeseries|counters)(?!\.map))/;
const SOURCES = { timeseries: "TimeSeries", counters: "Counters" };

/** What an index is, told by the text of a map. */
// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexDefinitionHelper {
  static detectStaticIndexType(map, reduce) {
    if (!map) fail("InvalidArgument", "an index needs a map");
    const kind = isText(reduce) ? "MapReduce" : "Map";
    return CSHARP.test(firstWords(map)) ? kind : `JavaScript${kind}`;
  }

  static detectStaticIndexSourceType(map) {
    if (!isText(map)) fail("InvalidArgument", "an index needs a map");
    const words = firstWords(map);
    const found = /^(?:from \S+ in )?(timeseries|counters)/.exec(words);
    return found ? SOURCES[found[1]] : "Documents";
  }

  /** The expression that a function gives: `Role.Admin` of `() => Role.Admin`. */
  static extractEnumNotation(functionBody) {
    const text = functionBody.trim();
    const body = /\{(.*)\}[^}]*$/s.exec(text)?.[1] ?? text.replace(/^.*?=>/s, "");
    return body
      .replace(/^\s*return\b|;\s*$/g, "")
      .replace(/^\s*\((.*)\)\s*$/s, "$1")
      .trim();
  }
}

/** How a field is indexed and stored. */
export class IndexFieldOptions {
  storage;
  indexing;
  termVector;
  spatial;
  analyzer;
  suggestions;
  vector;
}

export class IndexDefinitionBase {
  name;
  priority;
  state;
}

export class IndexDefinition extends IndexDefinitionBase {
  lockMode;
  indexType;
  additionalSources = {};
  compoundFields = [];
  additionalAssemblies = [];
  maps = new Set();
  reduce;
  fields = {};
  archivedDataProcessingBehavior;
  configuration = {};
  outputReduceToCollection;
  reduceOutputIndex;
  patternForOutputReduceToCollectionReferences;
  patternReferencesCollectionName;
  deploymentMode;
  #sourceType;

  toString() {
    return this.name;
  }

  get type() {
    if (!this.indexType || this.indexType === "None") this.indexType = this.detectStaticIndexType();
    return this.indexType;
  }

  set type(type) {
    this.indexType = type;
  }

  get sourceType() {
    if (!this.#sourceType || this.#sourceType === "None")
      this.#sourceType = this.detectStaticIndexSourceType();
    return this.#sourceType;
  }

  set sourceType(type) {
    this.#sourceType = type;
  }

  detectStaticIndexType() {
    const [map] = this.maps;
    return IndexDefinitionHelper.detectStaticIndexType(map, this.reduce);
  }

  detectStaticIndexSourceType() {
    const types = new Set([...this.maps].map(IndexDefinitionHelper.detectStaticIndexSourceType));
    if (types.size === 0) fail("InvalidArgument", "an index needs a map");
    if (types.size > 1)
      fail(
        "InvalidOperation",
        `the maps of an index read one kind of source, not ${[...types].join(" and ")}`,
      );
    const [type] = types;
    return type;
  }
}
