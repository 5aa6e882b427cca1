// The names of time series: those that the app gives, and those of classes.

import * as plural from "../../gen/plural.js";
import { fail } from "../common/error.js";
import type { EntityConstructor } from "../documents/entity-types.js";
import { bring } from "../runtime/load-part.js";

/** Conventions, which know how a class is called. */
interface Conventions {
  getCollectionNameForType(type: EntityConstructor): string;
}

/** The name of a class as the name of a collection, which is also the name of the time series of its instances. */
export function nameOfClass(conventions: Conventions, clazz: EntityConstructor): string {
  // A page may not have loaded the rules of plurals.
  bring({ plural });
  return conventions.getCollectionNameForType(clazz);
}

/** Names that begin so are those of incremental time series. */
const INCREMENTAL = /^INC:/i;

/** Refuses a name that an ordinary time series, or an incremental one, cannot have. */
export function assertKind(name: string, isIncremental: boolean): void {
  if (!name) fail("InvalidArgument", "the name of a time series has at least one character");
  const isRollup = name.includes("@");
  if (isIncremental && isRollup) fail("InvalidArgument", `the rollup ${name} cannot be incremental`);
  if (isIncremental !== INCREMENTAL.test(name) && !isRollup)
    fail(
      "InvalidArgument",
      `the name ${name} must ${isIncremental ? "" : "not "}begin with INC:, as those of incremental time series do`,
    );
}
