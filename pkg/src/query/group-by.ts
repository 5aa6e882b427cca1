// `groupBy` of a query.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import type { DocumentQuery } from "./document-query.js";
import type { GroupByDocumentQuery as PublicGroupBy } from "./document-query-types.js";
import type { GroupByField } from "./group-by-fields.js";

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
