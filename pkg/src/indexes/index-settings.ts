// Operations that start and stop indexes and change their settings, for `store.maintenance.send`.

import { fail } from "../common/error.js";
import { upper } from "../common/member-case.js";
import type { CommandRequest } from "../operations/operation-types.js";
import { SingleRequestOperation } from "../operations/single-request.js";
import type { IndexLockMode, IndexPriority } from "./definition.js";
import { again, named, route } from "./index-requests.js";

/** Starts or stops one index on one node, or all of its indexes without a name. */
const switched = (verb: string, ...parameters: [string, unknown][]): CommandRequest => ({
  method: "POST",
  route: route(`admin/indexes/${verb}`, parameters),
});

/** Resumes an index on the node that gets the request. */
export class StartIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string) {
    super(switched("start", ["name", named(indexName)]));
  }
}

/** Pauses an index on the node that gets the request, until the node restarts. */
export class StopIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string) {
    super(switched("stop", ["name", named(indexName)]));
  }
}

/** {@link StartIndexOperation} for all indexes of the database. */
export class StartIndexingOperation extends SingleRequestOperation<void> {
  constructor() {
    super(switched("start"));
  }
}

/** {@link StopIndexOperation} for all indexes of the database. */
export class StopIndexingOperation extends SingleRequestOperation<void> {
  constructor() {
    super(switched("stop"));
  }
}

/** Enables an index, also after a restart. `clusterWide`: on all nodes; default `false`. */
export class EnableIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string, clusterWide = false) {
    super(switched("enable", ["name", named(indexName)], ["clusterWide", clusterWide]));
  }
}

/** Disables an index, also after a restart. `clusterWide`: on all nodes; default `false`. */
export class DisableIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string, clusterWide = false) {
    super(switched("disable", ["name", named(indexName)], ["clusterWide", clusterWide]));
  }
}

/** Changes a setting of one index by name, or of several by `{ indexNames, … }`. */
function setting(
  member: "mode" | "priority",
  given: string | { indexNames: string[]; mode?: string; priority?: string },
  value: string | undefined,
): { IndexNames: string[]; [setting: string]: unknown } {
  const { indexNames, [member]: chosen } =
    typeof given === "string" ? { indexNames: [named(given)], [member]: value } : (given ?? {});
  if (!indexNames?.length) fail("InvalidArgument", "the operation needs indexNames");
  return { IndexNames: indexNames, [upper(member)]: chosen };
}

export interface SetIndexesLockOperationParameters {
  indexNames: string[];
  mode: IndexLockMode;
}

/** Throws `InvalidArgument` for indexes that the server has made (`Auto/…`). */
export class SetIndexesLockOperation extends SingleRequestOperation<void> {
  constructor(indexName: string, mode: IndexLockMode);
  constructor(parameters: SetIndexesLockOperationParameters);
  constructor(parametersOrIndexName: string | SetIndexesLockOperationParameters, mode?: IndexLockMode) {
    const body = setting("mode", parametersOrIndexName, mode);
    if (body.IndexNames.some((name) => name.toLowerCase().startsWith("auto/")))
      fail("InvalidArgument", "indexes that the server made itself (Auto/…) have no lock mode");
    super(again("POST", "indexes/set-lock", body));
  }
}

export interface SetIndexesPriorityOperationParameters {
  indexNames: string[];
  priority: IndexPriority;
}

export class SetIndexesPriorityOperation extends SingleRequestOperation<void> {
  constructor(indexName: string, priority: IndexPriority);
  constructor(parameters: SetIndexesPriorityOperationParameters);
  constructor(
    parametersOrIndexName: string | SetIndexesPriorityOperationParameters,
    priority?: IndexPriority,
  ) {
    super(again("POST", "indexes/set-priority", setting("priority", parametersOrIndexName, priority)));
  }
}
