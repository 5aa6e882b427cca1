// Queries in methods, as npm `ravendb` names them.

import { AnyThis } from "../common/any-this.js";
import { includeCalls, isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { DocumentType, EntityType, ObjectTypeDescriptor } from "../documents/entity-types.js";
import type { Lazy } from "../loading/lazy-operations.js";
import type { ExtraClauses } from "../query-extras/extra-clauses-types.js";
import type { RecordedCall } from "../rql/call.js";
import type { IncludeBuilder } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import type { ITimeSeriesQueryBuilder } from "../time-series/entries/results.js";
import type {
  FieldName,
  FieldOf,
  GroupByDocumentQuery as PublicGroupBy,
  DocumentQuery as PublicQuery,
  QueryClauses,
} from "./document-query-types.js";
import { GroupBy, type GroupByField } from "./group-by-fields.js";
import type { QueryData } from "./query-data.js";
import type { IndexWithName, OrderingType, ProjectionBehavior, QueriedIndex } from "./query-options.js";
import { list, plain } from "./query-parameters.js";
import { NESTED, type ReadingChanges } from "./query-results.js";
import { EXTRAS, RawDocumentQuery } from "./raw-query.js";

/** Methods that record what they are given. */
const RECORDED = (
  "whereRegex whereExists whereLucene whereStartsWith whereEndsWith whereBetween whereGreaterThan " +
  "whereGreaterThanOrEqual whereLessThan whereLessThanOrEqual search not negateNext openSubclause " +
  "closeSubclause orderByScore orderByScoreDescending randomOrdering"
).split(" ");
/** Further recorded methods: whether they are valid depends on the calls before; operators only if another operator is before them. */
const PLACED = ["intersect", "boost", "fuzzy", "proximity", "distinct", "andAlso", "orElse"];
const OPERATOR = /^(and|orElse)/;

/** A method that records its call. */
type RecordingMethod = (this: DocumentQuery, ...given: unknown[]) => RawDocumentQuery;

/** What is queried, as the app may say it. */
interface SourceOptions {
  collection?: string | undefined;
  indexName?: string | undefined;
  index?: QueriedIndex | undefined;
  documentType?: DocumentType | undefined;
  /** The name of a query that is declared. */
  named?: unknown;
}

// The static block of the class adds these methods to its prototype.
export interface DocumentQuery<T, Field extends string>
  extends QueryClauses<FieldName<Field>>,
    ExtraClauses<T, FieldName<Field>> {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see above
export class DocumentQuery<T = unknown, Field extends string = string>
  extends RawDocumentQuery<T>
  implements PublicQuery<T, Field>
{
  #source;

  static {
    const prototype: object = DocumentQuery.prototype;
    const methods = prototype as Record<string, RecordingMethod>;
    for (const name of [...RECORDED, ...EXTRAS, ...PLACED]) {
      methods[name] = function (...given) {
        const isRight = !PLACED.includes(name) || (OPERATOR.test(name) && !OPERATOR.test(this.last ?? ""));
        return this[isRight ? "record" : "place"](name, ...given.map(plain));
      };
    }
    // These take several values.
    for (const name of ["whereIn", "containsAny", "containsAll"]) {
      methods[name] = function (field, values, exact) {
        return this.record(name, field, list(values), exact);
      };
    }
    // These take an object in place of their arguments, too.
    for (const name of ["whereEquals", "whereNotEquals"]) {
      methods[name] = function (field, value, exact) {
        const given = isObject(field) ? field : { fieldName: field, value, exact };
        return this.record(name, given.fieldName, plain(given.value), given.exact);
      };
    }
    for (const name of ["orderBy", "orderByDescending"]) {
      methods[name] = function (field, how, ordering) {
        return this.record(name, field, ...order(how, ordering));
      };
    }
  }

  constructor(state: SessionState, options: SourceOptions) {
    const { documentType, collection, index, indexName = index && nameOf(index), named } = options;
    const isNamed = named !== undefined;
    const type: ObjectTypeDescriptor | undefined = state.conventions.classOf(documentType);
    if (collection && indexName)
      fail("InvalidOperation", "a query is about a collection or an index: name one of them");
    const identity = state.conventions.getIdentityProperty(type as ObjectTypeDescriptor);
    super(state, [isNamed ? ["named", options] : ["identity", identity]], type, isNamed ? "named" : "rql");
    if (!type && !collection && !indexName && !isNamed && Object.values(options).some(Boolean))
      fail("InvalidArgument", "a query needs a class that is registered, a collection or an indexName");
    this.#source = { documentType: type, collection, indexName, named };
  }

  get indexName(): string | undefined {
    return this.#source.indexName;
  }

  get collectionName(): string | undefined {
    const { documentType: type, collection, indexName } = this.#source;
    if (indexName) return undefined;
    return collection ?? (type ? this.state.conventions.getCollectionNameForType(type) : "@all_docs");
  }

  override get source(): RecordedCall[] {
    const { alias } = this.reading;
    return [this.indexName ? ["index", this.indexName, alias] : ["collection", this.collectionName, alias]];
  }

  override async prepare(): Promise<void> {
    const { documentType: type, collection, indexName, named } = this.#source;
    const needsName = type && !collection && !indexName && !named;
    await Promise.all([super.prepare(), needsName && this.state.conventions.load({}, type)]);
  }

  include(path: string | ((includes: IncludeBuilder) => void)): this {
    if (this.state.noTracking) fail("InvalidOperation", "a session without tracking cannot include");
    for (const call of includeCalls(path)) this.record(...call);
    return this;
  }

  addOrder(field: FieldName<Field>, descending = false, ordering?: OrderingType): this {
    return descending ? this.orderByDescending(field, ordering) : this.orderBy(field, ordering);
  }

  selectFields<TProjection>(
    given: FieldName<Field> | readonly FieldName<Field>[] | QueryData,
    type?: EntityType,
    behavior?: ProjectionBehavior,
  ): DocumentQuery<TProjection, Field> {
    const data: Partial<QueryData> & Pick<QueryData, "fields"> = (given as Partial<QueryData>)?.projections
      ? (given as QueryData)
      : { fields: [given as string].flat() };
    const { fields, projections = fields, fromAlias: alias, isCustomFunction } = data;
    const { projectionBehavior: projection = behavior } = data;
    if (fields.length === 0) fail("InvalidArgument", "selectFields takes fields");
    if (this.reading.fields) fail("InvalidOperation", "the fields of this query were chosen already");
    const made = this.#copy<TProjection, Field>({
      type: this.state.conventions.classOf(type),
      fields: isCustomFunction ? undefined : projections,
      alias,
      projection,
    });
    const named: unknown[] = fields.flatMap((name, at) => [name, projections[at]]);
    // Left out if a missing field is an error: most documents have no notes.
    if (!isCustomFunction && !/Throw$/.test(projection ?? ""))
      named.push("@metadata.@nested-object-types", NESTED);
    return made.record("selectFields", ...named);
  }

  selectTimeSeries<TProjection extends object>(
    write: (builder: ITimeSeriesQueryBuilder) => unknown,
    type: EntityType<TProjection>,
  ): DocumentQuery<TProjection, Field> {
    return this.ofType(type).record("selectTimeSeries", write) as never;
  }

  ofType<TResult extends object>(type: EntityType<TResult>): DocumentQuery<TResult, FieldOf<TResult>> {
    return this.#copy({ type: this.state.conventions.classOf(type) });
  }

  #copy<TResult, TField extends string>(reading: ReadingChanges): DocumentQuery<TResult, TField> {
    return this.with(new DocumentQuery<TResult, TField>(this.state, this.#source), reading);
  }

  /** Of facets and suggestions: results by the names of fields, in place of documents. */
  execute(): Promise<unknown> {
    return this.all();
  }

  executeLazy(): Lazy {
    return this.lazily();
  }

  groupBy(...fields: (FieldName<Field> | GroupBy)[]): GroupByDocumentQuery {
    for (const field of fields) {
      const given = isObject(field) ? field : GroupBy.field(field as string);
      this.place(given.method === "Array" ? "groupByArray" : "groupBy", given.field);
    }
    return new GroupByDocumentQuery(this);
  }
}

/** The name of an index, given by itself, by a class or by an instance of the class. */
function nameOf(index: QueriedIndex): string {
  if (typeof index === "string") return index;
  const made: Partial<IndexWithName> = typeof index === "function" ? new index() : index;
  return (
    made.getIndexName?.() ?? fail("InvalidArgument", "an index is a name, or a class with getIndexName()")
  );
}

/** Ordering, place of nulls and sorter, in whichever form they are given. */
function order(how: unknown, ordering: unknown): unknown[] {
  if (isObject(how)) {
    if (!how.sorterName) fail("InvalidArgument", "an ordering needs the name of its sorter");
    return [how.ordering, how.nullsOrdering, how.sorterName];
  }
  return ["Default", "First", "Last"].includes(how as string) ? [ordering, how] : [how];
}

/** @internal */
export class GroupByDocumentQuery extends AnyThis implements PublicGroupBy {
  #query;

  constructor(query: DocumentQuery) {
    super();
    this.#query = query;
  }

  filter(...given: Parameters<DocumentQuery["filter"]>): this {
    this.#query.filter(...given);
    return this;
  }

  selectKey(field?: string | null, projected?: string | null): this {
    this.#query.record("selectKey", field, projected);
    return this;
  }

  selectSum(...fields: GroupByField[]): DocumentQuery {
    if (fields.length === 0) fail("InvalidArgument", "selectSum takes a field");
    for (const { fieldName, projectedName } of fields)
      this.#query.record("selectSum", fieldName, projectedName);
    return this.#query;
  }

  selectCount(projected = "count"): DocumentQuery {
    return this.#query.record("selectCount", null, projected);
  }
}
