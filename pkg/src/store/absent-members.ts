// Members of npm `ravendb` that are absent: in Node, Deno, Bun and Workers they say so; pages do not have their texts.

import { fail } from "../common/error.js";
import { DocumentConventions } from "./conventions.js";
import { StoreBase } from "./store.js";

const LISTED = "docs/moving.md#absent says what to use instead";

/** The class, what apps call its instances, the names of members, and the alternative. */
const ABSENT: [{ readonly prototype: object }, string, string, string][] = [
  [StoreBase, "store", "setRequestTimeout", "use the store's option `timeout`, in milliseconds"],
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

/** Adds to a class of queries the methods of npm `ravendb` that it does not have. Only entries for Node do: elsewhere a call is a `TypeError`. */
export function refuseAbsent(Query: { prototype: object }): void {
  for (const name of ["randomOrdering", "shardContext"]) {
    (Query.prototype as Record<string, unknown>)[name] ??= () =>
      fail("Unsupported", `raven-edge has no ${name}: write RQL in session.advanced.rawQuery(text)`);
  }
}
