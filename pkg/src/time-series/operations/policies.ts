// The configuration of time series: policies (what is kept how long, what is aggregated to rollups) and operations on them, for
// `store.maintenance.send`. Rollups and retention need a licence of the server: without one it refuses them (402, `LicenseLimitException`). Names
// and results are those of npm `ravendb`.

import { fail } from "../../common/error.js";
import { pascal } from "../../common/member-case.js";
import { durationText } from "../../common/time.js";
import { members, SingleRequestOperation } from "../../operations/single-request.js";
import { query } from "../../wire/query-string.js";
import { randomId } from "../../wire/random-id.js";
import { TimeValue, type TimeValueRaw } from "../entries/times.js";
import { NameMap } from "../entries/value-names.js";
import type {
  ConfigureTimeSeriesOperationResult,
  ConfigureTimeSeriesValueNamesParameters,
} from "./time-series-types.js";

/** Between the name of a time series and the name of a policy: the name of the rollup. */
export const TIME_SERIES_ROLLUP_SEPARATOR = "@";

/** As the server reads it. */
export interface TimeSeriesPolicyRaw {
  Name: string;
  RetentionTime: TimeValueRaw | null;
  AggregationTime: TimeValueRaw | null;
}

function assertPositive(time: TimeValue | null | undefined, what: string): void {
  if (!time || time.compareTo(TimeValue.ZERO) <= 0)
    fail("InvalidArgument", `the ${what} of a policy is longer than zero`);
}

/** Aggregates the entries of each span of time to one entry of a rollup. */
export class TimeSeriesPolicy {
  name: string;
  retentionTime: TimeValue;
  aggregationTime: TimeValue | null;

  /**
   * @param name Unique for the collection.
   * @param aggregationTime The span of time that becomes one entry.
   * @param retentionTime How long entries of the rollup are kept; default: for ever.
   */
  constructor(name: string, aggregationTime: TimeValue, retentionTime?: TimeValue | null) {
    this.retentionTime = retentionTime || TimeValue.MAX_VALUE;
    if (!name) fail("InvalidArgument", "a policy needs a name");
    assertPositive(aggregationTime, "aggregation time");
    assertPositive(this.retentionTime, "retention time");
    this.aggregationTime = aggregationTime;
    this.name = name;
  }

  /** The name of the rollup of a time series. */
  getTimeSeriesName(rawName: string): string {
    return rawName + TIME_SERIES_ROLLUP_SEPARATOR + this.name;
  }

  serialize(): TimeSeriesPolicyRaw {
    return {
      Name: this.name,
      RetentionTime: this.retentionTime?.serialize() ?? null,
      AggregationTime: this.aggregationTime?.serialize() ?? null,
    };
  }

  static parse({ Name, AggregationTime, RetentionTime }: TimeSeriesPolicyRaw): TimeSeriesPolicy {
    return new TimeSeriesPolicy(
      Name,
      TimeValue.parse(AggregationTime as TimeValueRaw),
      parsed(RetentionTime),
    );
  }
}

const parsed = (raw: TimeValueRaw | null): TimeValue | null => raw && TimeValue.parse(raw);

/** How long the entries that the app appends are kept. */
export class RawTimeSeriesPolicy extends TimeSeriesPolicy {
  static POLICY_STRING = "rawpolicy";
  static DEFAULT_POLICY = /* @__PURE__ */ new RawTimeSeriesPolicy();

  /** @param retentionTime Default: for ever. */
  constructor(retentionTime?: TimeValue | null) {
    super(RawTimeSeriesPolicy.POLICY_STRING, TimeValue.MAX_VALUE, retentionTime);
    this.aggregationTime = null;
  }

  static override parse({ Name, AggregationTime, RetentionTime }: TimeSeriesPolicyRaw): RawTimeSeriesPolicy {
    const retentionTime = parsed(RetentionTime) ?? TimeValue.MAX_VALUE;
    const aggregationTime = parsed(AggregationTime);
    return Object.assign(new RawTimeSeriesPolicy(), { name: Name, aggregationTime, retentionTime });
  }
}

/** As the server reads it. */
export interface TimeSeriesCollectionConfigurationRaw {
  Disabled: boolean;
  Policies: TimeSeriesPolicyRaw[] | null;
  RawPolicy: TimeSeriesPolicyRaw | null;
}

/** The policies of the time series of a collection. */
export class TimeSeriesCollectionConfiguration {
  disabled!: boolean;
  /** Rollups, each of the one before. */
  policies: TimeSeriesPolicy[] = [];
  rawPolicy: RawTimeSeriesPolicy = RawTimeSeriesPolicy.DEFAULT_POLICY;

  static isRaw(policy: TimeSeriesPolicy): boolean {
    return policy.name === RawTimeSeriesPolicy.POLICY_STRING;
  }

  serialize(): TimeSeriesCollectionConfigurationRaw {
    return {
      Disabled: this.disabled,
      Policies: this.policies?.map((policy) => policy.serialize()) ?? null,
      RawPolicy: this.rawPolicy?.serialize() ?? null,
    };
  }

  static parse({ Disabled, Policies, RawPolicy }: TimeSeriesCollectionConfigurationRaw) {
    return Object.assign(new TimeSeriesCollectionConfiguration(), {
      disabled: Disabled,
      policies: (Policies ?? []).map((policy) => TimeSeriesPolicy.parse(policy)),
      rawPolicy: RawPolicy && RawTimeSeriesPolicy.parse(RawPolicy),
    });
  }
}

/** As the server reads it. */
export interface TimeSeriesConfigurationRaw {
  Collections: Record<string, TimeSeriesCollectionConfigurationRaw>;
  PolicyCheckFrequency: string | null;
  NamedValues: Record<string, Record<string, string[]>>;
}

/** `d.hh:mm:ss`, with or without days and fractions, in milliseconds. */
function duration(text: string): number {
  const [, days = 0, hours, minutes, seconds] = /^(?:(\d+)\.)?(\d+):(\d+):([\d.]+)$/.exec(text) ?? [];
  return Math.round((((+days * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000);
}

/** The policies of all collections, and the names of values. */
export class TimeSeriesConfiguration {
  /** By the names of collections. */
  collections: Map<string, TimeSeriesCollectionConfiguration> = new NameMap();
  /** How often policies are carried out, in milliseconds; default: the server's. */
  policyCheckFrequencyInMs!: number | null | undefined;
  /** Names of values, by the names of collections and of time series. */
  namedValues: Map<string, Map<string, string[]>> = new NameMap();

  /** The names of the values of a time series; `null`: they have none. */
  getNames(collection: string, timeSeries: string): string[] | null {
    return this.namedValues?.get(collection)?.get(timeSeries) ?? null;
  }

  serialize(): TimeSeriesConfigurationRaw {
    const collections = [...(this.collections ?? [])].map(([name, each]) => [name, each.serialize()]);
    const names = [...(this.namedValues ?? [])].map(([name, of]) => [name, Object.fromEntries(of)]);
    const every = this.policyCheckFrequencyInMs;
    return {
      Collections: Object.fromEntries(collections),
      PolicyCheckFrequency: every ? durationText(every).replace(/\.000$/, "") : null,
      NamedValues: Object.fromEntries(names),
    };
  }

  static parse({ Collections, PolicyCheckFrequency, NamedValues }: TimeSeriesConfigurationRaw) {
    const made = new TimeSeriesConfiguration();
    for (const [name, raw] of Object.entries(Collections ?? {}))
      made.collections.set(name, TimeSeriesCollectionConfiguration.parse(raw));
    made.policyCheckFrequencyInMs = PolicyCheckFrequency ? duration(PolicyCheckFrequency) : null;
    for (const [name, raw] of Object.entries(NamedValues ?? {})) {
      const names = new NameMap<string[]>();
      for (const [series, values] of Object.entries(raw)) names.set(series, values);
      made.namedValues.set(name, names);
    }
    return made;
  }
}

/** What the operations have in common: a command that is sent again, because its response was lost, counts once. */
class ConfigurationOperation extends SingleRequestOperation<ConfigureTimeSeriesOperationResult> {
  /** @internal */
  constructor(method: string, path: string, parameters: Record<string, string>, body?: () => unknown) {
    const request = () => {
      const route = `${path}?${query(Object.entries({ ...parameters, "raft-request-id": randomId() }))}`;
      return { method, route, body: body?.(), safe: true };
    };
    // The response is empty if nothing has changed.
    super(request, (body: unknown) => (body ? members(body) : (undefined as never)));
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
