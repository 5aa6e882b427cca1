// `groupBy` of a query.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import type { DocumentQuery } from "./document-query.js";
import type { GroupByDocumentQuery as PublicGroupBy } from "./document-query-types.js";

/** What documents are grouped by, if it is not simply a field. */
export class GroupBy {
  declare readonly field: string;
  declare readonly method: "None" | "Array";

  private constructor(field: string, method: "None" | "Array") {
    this.field = field;
    this.method = method;
  }

  static field(name: string): GroupBy {
    return new GroupBy(name, "None");
  }

  /** By a whole list, not by each of its items. */
  static array(name: string): GroupBy {
    return new GroupBy(name, "Array");
  }
}

/** A field of groups, and its name in results. A plain object with these members will do. */
export class GroupByField {
  declare fieldName: string;
  declare projectedName?: string | undefined;

  constructor(fieldName?: string, projectedName?: string) {
    this.fieldName = fieldName as string;
    this.projectedName = projectedName;
  }
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
