// Operations on the configuration of time series, for `store.maintenance.send`. Rollups and retention need a licence of the server: without
// one it refuses them (402, `LicenseLimitException`). Names and results are those of npm `ravendb`.

import { AnyThis } from "../../common/any-this.js";
import { fail } from "../../common/error.js";
import { camel, pascal } from "../../common/member-case.js";
import type { RavenCommand, RavenOperation } from "../../operations/operation-types.js";
import { SingleRequestOperation } from "../../operations/single-request.js";
import { query } from "../../wire/query-string.js";
import { randomId } from "../../wire/random-id.js";
import type { RawTimeSeriesPolicy, TimeSeriesConfiguration, TimeSeriesPolicy } from "./policies.js";
import type {
  ConfigureTimeSeriesOperationResult,
  ConfigureTimeSeriesValueNamesParameters,
} from "./time-series-types.js";

/** What the operations have in common: a command that is sent again, because its response was lost, counts once. */
class ConfigurationOperation extends AnyThis implements RavenOperation<ConfigureTimeSeriesOperationResult> {
  #method;
  #path;
  #parameters;
  #body;

  /** @internal */
  constructor(method: string, path: string, parameters: Record<string, string>, body?: () => unknown) {
    super();
    this.#method = method;
    this.#path = path;
    this.#parameters = parameters;
    this.#body = body;
  }

  getCommand(): RavenCommand<ConfigureTimeSeriesOperationResult> {
    const parameters = query(Object.entries({ ...this.#parameters, "raft-request-id": randomId() }));
    const route = `${this.#path}?${parameters}`;
    const request = { method: this.#method, route, body: this.#body?.(), safe: true };
    // The response is empty if nothing has changed.
    const read = (body: unknown) => (body ? camel(body) : undefined);
    return new SingleRequestOperation<ConfigureTimeSeriesOperationResult>(
      request,
      read as never,
    ).getCommand();
  }
}

function assertGiven(given: Record<string, unknown>): void {
  for (const [what, value] of Object.entries(given))
    if (!value || (Array.isArray(value) && value.length === 0))
      fail("InvalidArgument", `the ${what} of time series must be given`);
}

/** Replaces the whole configuration (`POST admin/timeseries/config`). */
export class ConfigureTimeSeriesOperation extends ConfigurationOperation {
  constructor(configuration: TimeSeriesConfiguration) {
    assertGiven({ configuration });
    super("POST", "admin/timeseries/config", {}, () => configuration.serialize());
  }
}

/** Sets a policy of a collection (`PUT admin/timeseries/policy`). */
export class ConfigureTimeSeriesPolicyOperation extends ConfigurationOperation {
  constructor(collection: string, config: TimeSeriesPolicy) {
    assertGiven({ collection, policy: config });
    super("PUT", "admin/timeseries/policy", { collection }, () => config.serialize());
  }
}

/** Sets how long the entries of a collection are kept. */
export class ConfigureRawTimeSeriesPolicyOperation extends ConfigureTimeSeriesPolicyOperation {
  constructor(collection: string, config: RawTimeSeriesPolicy) {
    super(collection, config);
  }
}

/** Removes a policy of a collection (`DELETE admin/timeseries/policy`). */
export class RemoveTimeSeriesPolicyOperation extends ConfigurationOperation {
  constructor(collection: string, name: string) {
    assertGiven({ collection, policy: name });
    super("DELETE", "admin/timeseries/policy", { collection, name });
  }
}

/** Sets the names of the values of a time series (`POST timeseries/names/config`), which queries may use. */
export class ConfigureTimeSeriesValueNamesOperation extends ConfigurationOperation {
  constructor(parameters: ConfigureTimeSeriesValueNamesParameters) {
    assertGiven({ parameters });
    const { collection, timeSeries, valueNames } = parameters;
    assertGiven({ collection, name: timeSeries, "names of values": valueNames });
    super("POST", "timeseries/names/config", {}, () => pascal(parameters));
  }
}
