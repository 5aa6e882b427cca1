// Members of npm `ravendb` that are absent here: reading one throws an error that names an alternative. Pages do without them, because
// each byte counts there and npm `ravendb` never ran; the types say the same everywhere.

import { fail } from "../common/error.js";
import { DocumentConventions } from "./conventions.js";
import { StoreBase } from "./store.js";

const LISTED = "docs/moving.md#absent says what to use instead";
const OPTION = "use the store's option `timeout`, in milliseconds";

/** The class, what apps call its instances, the names of members, and the alternative. */
const ABSENT: [{ readonly prototype: object }, string, string, string][] = [
  [StoreBase, "store", "setRequestTimeout", OPTION],
  [StoreBase, "store", "smuggler ai executeIndex executeIndexes", LISTED],
  [
    DocumentConventions,
    "conventions",
    "clone deserializeEntityFromJson getTypeDescriptorByEntity knownEntityTypes knownEntityTypesByName registerQueryValueConverter sharding transformObjectKeysToRemoteFieldNameConvention tryConvertValueToObjectForQuery tryRegisterEntityType tryRegisterJsType updateFrom validate",
    LISTED,
  ],
];

/** Adds a getter that throws for each absent member, unless the class of this entry has the member. */
export function addStubs(): void {
  for (const [{ prototype }, what, names, instead] of ABSENT)
    for (const name of names.split(" ").filter((name) => !(name in prototype)))
      Object.defineProperty(prototype, name, {
        configurable: true,
        get: () => fail("Unsupported", `${what}.${name} is not in raven-edge: ${instead}`),
      });
}
