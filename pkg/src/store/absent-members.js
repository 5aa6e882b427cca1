// Members of npm `ravendb` that are absent here: reading one says so, and what to use instead. Not in pages, where each byte
// counts and npm `ravendb` never ran; the types say the same everywhere.

import { fail } from "../common/error.js";
import { Advanced } from "../session/advanced.js";
import { Session } from "../session/session.js";
import { DocumentConventions } from "./conventions.js";
import { StoreBase } from "./store.js";

const LISTED = "docs/moving.md#absent says what to use instead";
const OPTION = "give the store's option `timeout`, in milliseconds";
const SAVE = "store() many entities, then one saveChanges()";

const ABSENT = [
  [StoreBase, "store", "bulkInsert", SAVE],
  [StoreBase, "store", "setRequestTimeout", OPTION],
  [StoreBase, "store", "changes subscriptions smuggler timeSeries ai executeIndex executeIndexes", LISTED],
  [
    DocumentConventions,
    "conventions",
    "bulkInsert clone deserializeEntityFromJson getTypeDescriptorByEntity knownEntityTypes knownEntityTypesByName registerQueryValueConverter sharding transformObjectKeysToRemoteFieldNameConvention tryConvertValueToObjectForQuery tryRegisterEntityType tryRegisterJsType updateFrom validate",
    LISTED,
  ],
  [Session, "session", "countersFor timeSeriesFor timeSeriesRollupFor incrementalTimeSeriesFor", LISTED],
  [
    Advanced,
    "session.advanced",
    "attachments revisions clusterTransaction getCountersFor getTimeSeriesFor",
    LISTED,
  ],
];

/** Puts a stub where a member is absent; what a class has by now is left alone. */
export function addStubs() {
  for (const [{ prototype }, what, names, instead] of ABSENT)
    for (const name of names.split(" ").filter((name) => !(name in prototype)))
      Object.defineProperty(prototype, name, {
        configurable: true,
        get: () => fail("Unsupported", `${what}.${name} is not in raven-edge: ${instead}`),
      });
}
