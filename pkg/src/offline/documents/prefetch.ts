// Loads documents and results of queries, so that they are kept.

import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import { checkNames } from "../../common/known-names.js";
import type { NamedQueryOptions, Names } from "../../named/shared-names-types.js";
import type { RawDocumentQuery } from "../../query/raw-query.js";
import type { DocumentSession } from "../../session/session-without-queries.js";
import type { StoreBase } from "../../store/store.js";
import type { NamedPages } from "../offline-types.js";

/** The most ids of a request. */
const IDS = 500;

/** A session of an entry with queries. */
type QuerySession = DocumentSession & { query?(options: NamedQueryOptions<Names, object>): RawDocumentQuery };

/** Documents by ids, or the results of a query by name; resolves when they have come. */
export async function prefetch(store: StoreBase, what: readonly string[] | NamedPages): Promise<void> {
  const session: QuerySession = store.openSession({ noTracking: true, offline: "never" });
  try {
    session.advanced.maxNumberOfRequestsPerSession = Number.MAX_SAFE_INTEGER;
    if (Array.isArray(what)) {
      for (let at = 0; at < what.length; at += IDS) await session.load(what.slice(at, at + IDS));
      return;
    }
    if (!isObject(what)) fail("InvalidArgument", "prefetch takes ids, or { named, parameters, skip, take }");
    checkNames("option of prefetch:", what, ["named", "parameters", "skip", "take"]);
    const { named, parameters = {}, skip, take } = what as NamedPages;
    const query =
      session.query?.({ named, parameters }) ?? fail("Unsupported", "raven-edge/session has no queries");
    if (skip !== undefined) query.skip(skip);
    if (take !== undefined) query.take(take);
    await query.all();
  } finally {
    session.dispose();
  }
}
