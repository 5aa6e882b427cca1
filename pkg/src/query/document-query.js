// Queries in methods, as npm `ravendb` names them.

import { isObject, paths } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { list, plain } from "./query-parameters.js";
import { NESTED } from "./query-results.js";
import { RawDocumentQuery } from "./raw-query.js";

/** Methods that record what they are given. */
const RECORDED = [
  "whereRegex",
  "whereExists",
  "whereLucene",
  "whereStartsWith",
  "whereEndsWith",
  "whereBetween",
  "whereGreaterThan",
  "whereGreaterThanOrEqual",
  "whereLessThan",
  "whereLessThanOrEqual",
  "search",
  "not",
  "negateNext",
  "openSubclause",
  "closeSubclause",
  "orderByScore",
  "orderByScoreDescending",
  "randomOrdering",
];
/** The same, but they can be wrong where they stand; operators only behind one another. */
const PLACED = ["intersect", "boost", "fuzzy", "proximity", "distinct", "andAlso", "orElse"];
const OPERATOR = /^(and|orElse)/;

export class DocumentQuery extends RawDocumentQuery {
  #options;

  static {
    for (const name of [...RECORDED, ...PLACED]) {
      DocumentQuery.prototype[name] = function (...given) {
        const isRight = !PLACED.includes(name) || (OPERATOR.test(name) && !OPERATOR.test(this.last));
        return this[isRight ? "record" : "place"](name, ...given.map(plain));
      };
    }
    // These take several values.
    for (const name of ["whereIn", "containsAny", "containsAll"]) {
      DocumentQuery.prototype[name] = function (field, values, exact) {
        return this.record(name, field, list(values), exact);
      };
    }
    // These take an object in place of their arguments, too.
    for (const name of ["whereEquals", "whereNotEquals"]) {
      DocumentQuery.prototype[name] = function (field, value, exact) {
        const given = isObject(field) ? field : { fieldName: field, value, exact };
        return this.record(name, given.fieldName, plain(given.value), given.exact);
      };
    }
    for (const name of ["orderBy", "orderByDescending"]) {
      DocumentQuery.prototype[name] = function (field, how, ordering) {
        return this.record(name, field, ...order(how, ordering));
      };
    }
  }

  constructor(unit, options, calls = []) {
    const { documentType, collection, index, indexName = index && nameOf(index) } = options;
    const type = unit.conventions.classOf(documentType);
    if (collection && indexName)
      fail("InvalidOperation", "a query is about a collection or an index: name one of them");
    const identity = unit.conventions.getIdentityProperty(type);
    super(unit, identity === "id" ? calls : [["identity", identity], ...calls], type);
    if (!type && !collection && !indexName && Object.values(options).some(Boolean))
      fail("InvalidArgument", "a query needs a class that is registered, a collection or an indexName");
    this.#options = { documentType: type, collection, indexName };
  }

  get indexName() {
    return this.#options.indexName;
  }

  get collectionName() {
    return this.#options.collection ?? this.#collection();
  }

  #collection() {
    const { documentType: type } = this.#options;
    return type ? this.unit.conventions.getCollectionNameForType(type) : "@all_docs";
  }

  get source() {
    const { alias } = this.reading;
    return [this.indexName ? ["index", this.indexName, alias] : ["collection", this.collectionName, alias]];
  }

  async prepare() {
    const { documentType: type, collection, indexName } = this.#options;
    const needsName = type && !collection && !indexName;
    await Promise.all([super.prepare(), needsName && this.unit.conventions.load({}, type)]);
  }

  include(path) {
    if (this.unit.noTracking)
      fail("InvalidOperation", "this session does not track: what it includes would be lost");
    for (const included of typeof path === "function" ? paths(path) : [path])
      this.record("include", included);
    return this;
  }

  addOrder(field, descending = false, ordering = undefined) {
    return descending ? this.orderByDescending(field, ordering) : this.orderBy(field, ordering);
  }

  /** Fields in place of documents, by their names or as `QueryData`; one field, without a class, gives its values. */
  selectFields(given, type, behavior) {
    const data = given?.projections ? given : { fields: [given].flat() };
    const { fields, projections = fields, fromAlias: alias, isCustomFunction } = data;
    const { projectionBehavior: projection = behavior } = data;
    if (fields.length === 0) fail("InvalidArgument", "selectFields takes fields");
    if (this.reading.fields) fail("InvalidOperation", "the fields of this query were chosen already");
    const made = this.#copy({
      type: this.unit.conventions.classOf(type),
      fields: isCustomFunction ? undefined : projections,
      alias,
      projection,
    });
    const named = fields.flatMap((name, at) => [name, projections[at]]);
    // Most documents have no notes, and must not fail where a missing field is an error.
    if (!isCustomFunction && !/Throw$/.test(projection)) named.push("@metadata.@nested-object-types", NESTED);
    return made.record("selectFields", ...named);
  }

  ofType(type) {
    return this.#copy({ type: this.unit.conventions.classOf(type) });
  }

  #copy(reading) {
    return this.with(new DocumentQuery(this.unit, this.#options), reading);
  }

  groupBy(...fields) {
    for (const field of fields) {
      const given = isObject(field) ? field : GroupBy.field(field);
      this.place(given.method === "Array" ? "groupByArray" : "groupBy", given.field);
    }
    return new GroupByDocumentQuery(this);
  }
}

/** An index by its name, or by its class or an instance of that. */
function nameOf(index) {
  if (typeof index === "string") return index;
  const made = typeof index === "function" ? new index() : index;
  return (
    made.getIndexName?.() ?? fail("InvalidArgument", "an index is a name, or a class with getIndexName()")
  );
}

/** Ordering, place of nulls and sorter, whatever way they are given. */
function order(how, ordering) {
  if (isObject(how)) {
    if (!how.sorterName) fail("InvalidArgument", "an ordering needs the name of its sorter");
    return [how.ordering, how.nullsOrdering, how.sorterName];
  }
  return ["Default", "First", "Last"].includes(how) ? [ordering, how] : [how];
}

/** What documents are grouped by. */
export class GroupBy {
  constructor(field, method) {
    this.field = field;
    this.method = method;
  }

  static field(name) {
    return new GroupBy(name, "None");
  }

  /** By the whole list, not by each of its items. */
  static array(name) {
    return new GroupBy(name, "Array");
  }
}

/** What is shown of groups. */
export class GroupByDocumentQuery {
  #query;

  constructor(query) {
    this.#query = query;
  }

  selectKey(field, projected) {
    this.#query.record("selectKey", field, projected);
    return this;
  }

  selectSum(...fields) {
    if (fields.length === 0) fail("InvalidArgument", "selectSum takes a field");
    for (const { fieldName, projectedName } of fields)
      this.#query.record("selectSum", fieldName, projectedName);
    return this.#query;
  }

  selectCount(projected = "count") {
    return this.#query.record("selectCount", null, projected);
  }
}
