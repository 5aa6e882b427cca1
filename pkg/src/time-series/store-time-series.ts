// `store.timeSeries`: names of values, and policies. Names are those of npm `ravendb`.

import * as plural from "../../gen/plural.js";
import { fail } from "../common/error.js";
import type { EntityConstructor } from "../documents/entity-types.js";
import type { RavenOperation } from "../operations/operation-types.js";
import { provide } from "../runtime/load-part.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { StoreBase } from "../store/store.js";
import { TimeSeriesValuesHelper } from "./entries/value-names.js";
import {
  ConfigureRawTimeSeriesPolicyOperation,
  ConfigureTimeSeriesPolicyOperation,
  ConfigureTimeSeriesValueNamesOperation,
  RawTimeSeriesPolicy,
  RemoveTimeSeriesPolicyOperation,
  TimeSeriesPolicy,
} from "./operations/policies.js";
import type { CollectionOrClass, TimeSeriesOperations } from "./store-types.js";

/** `store.timeSeries`. */
export function ofStore(store: StoreBase): TimeSeriesOperations {
  const nameOf = (collection: CollectionOrClass) =>
    typeof collection === "string" ? collection : nameOfClass(store.conventions, collection);
  const send = async (operation: RavenOperation<unknown>) => {
    await store.maintenance.send(operation);
  };
  return {
    async register(
      collection: CollectionOrClass,
      classOrName: CollectionOrClass,
      nameOrValueNames?: string | string[],
    ) {
      const isNamed = typeof classOrName === "string";
      const fields = isNamed ? undefined : TimeSeriesValuesHelper.getFieldsMapping(classOrName);
      if (fields === null)
        fail("InvalidOperation", "the class of the entries names no values in TIME_SERIES_VALUES");
      await send(
        new ConfigureTimeSeriesValueNamesOperation({
          collection: nameOf(collection),
          timeSeries: isNamed ? classOrName : (nameOrValueNames as string) || nameOf(classOrName),
          valueNames: fields?.map(({ name }) => name) ?? (nameOrValueNames as string[]),
          update: true,
        }),
      );
    },
    async setPolicy(collection, name, aggregation, retention) {
      const policy = new TimeSeriesPolicy(name, aggregation, retention);
      await send(new ConfigureTimeSeriesPolicyOperation(nameOf(collection), policy));
    },
    async setRawPolicy(collection, retention) {
      const policy = new RawTimeSeriesPolicy(retention);
      await send(new ConfigureRawTimeSeriesPolicyOperation(nameOf(collection), policy));
    },
    async removePolicy(collection, name) {
      await send(new RemoveTimeSeriesPolicyOperation(nameOf(collection), name));
    },
    forDatabase: (database) => ofStore(store.of(database)),
  };
}

/** The name of a class as the name of a collection, which is also the name of the time series of its instances. */
export function nameOfClass(conventions: DocumentConventions, clazz: EntityConstructor): string {
  // A page may not have loaded the rules of plurals.
  provide({ plural });
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
