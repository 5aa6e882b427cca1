// The fields that a query returns of its documents, under names that the app chooses.

import { fail } from "../common/error.js";
import type { ProjectionBehavior } from "./query-options.js";

/**
 * The fields that a query returns of its documents, under names that the app chooses, for `selectFields`.
 *
 * ```ts
 * const named = new QueryData(["customer", "total"], ["who", "spent"]);
 * const parts = await session.query<Order>({ collection: "Orders" }).selectFields<{ who: string; spent: number }>(named).all();
 * const text = QueryData.customFunction("o", "{ who: o.customer, twice: o.total * 2 }");
 * ```
 */
export class QueryData {
  /** Where the server takes the fields from. */
  projectionBehavior: ProjectionBehavior | undefined;
  declare fields: string[];
  declare projections: string[];
  declare fromAlias: string | null | undefined;
  declare isCustomFunction: boolean;

  /**
   * @param fields Fields of the documents; for a custom function its text alone.
   * @param projections Their names in results, in the same order.
   * @param fromAlias The name of documents in a custom function.
   * @throws {RavenEdgeError} `InvalidArgument` if there are more fields than projections, or fewer; `Unsupported` for tokens, and for
   * `fromAlias` without a custom function.
   */
  constructor(
    fields: string[],
    projections: string[],
    fromAlias?: string | null,
    declareTokens?: null,
    loadTokens?: null,
    isCustomFunction = false,
  ) {
    if (declareTokens || loadTokens)
      fail("Unsupported", "QueryData takes no tokens: write RQL in session.advanced.rawQuery(text)");
    if (fromAlias && !isCustomFunction)
      fail("Unsupported", "fromAlias is for QueryData.customFunction: fields need none");
    if (!isCustomFunction && fields.length !== projections.length)
      fail("InvalidArgument", "QueryData takes as many projections as fields");
    this.fields = fields;
    this.projections = projections;
    this.fromAlias = fromAlias;
    this.isCustomFunction = isCustomFunction;
  }

  /**
   * An object of RQL, such as `{ name: o.name.toUpperCase() }`, in which documents are called `alias`. The text is sent as it is:
   * never put input of users into it.
   */
  static customFunction(alias: string, text: string): QueryData {
    return new QueryData([text], [], alias, undefined, undefined, true);
  }
}
