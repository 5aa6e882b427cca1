// What a query shows of its documents, under names of the app's own.

import { fail } from "../error.js";

export class QueryData {
  /** For `selectFields`: where the server takes the fields from. */
  projectionBehavior;

  /** `fields` are shown as `projections`, in the same order; `isCustomFunction`: `fields` is one function of RQL about `fromAlias`. */
  constructor(fields, projections, fromAlias, declareTokens, loadTokens, isCustomFunction = false) {
    if (declareTokens || loadTokens)
      fail("Unsupported", "QueryData takes no tokens: say it in RQL, with session.advanced.rawQuery(text)");
    if (fromAlias && !isCustomFunction)
      fail("Unsupported", "fromAlias is for QueryData.customFunction: fields need none");
    if (!isCustomFunction && fields.length !== projections.length)
      fail("InvalidArgument", "QueryData takes as many projections as fields");
    this.fields = fields;
    this.projections = projections;
    this.fromAlias = fromAlias;
    this.isCustomFunction = isCustomFunction;
  }

  /** An object of RQL, such as `{ name: o.name.toUpperCase() }`, in which documents are called `alias`. */
  static customFunction(alias, text) {
    return new QueryData([text], [], alias, undefined, undefined, true);
  }
}
