// Base classes of indexes over what belongs to documents without being part of them: counters and time series.

import { fail } from "../common/error.js";
import type { DocumentConventions } from "../store/conventions.js";
import { IndexDefinition, type IndexSourceType } from "./definition.js";
import { IndexDefinitionBuilder } from "./definition-builder.js";
import { AbstractGenericIndexCreationTask, AbstractRawJavaScriptIndexCreationTask } from "./index-tasks.js";

/** The definition of an index over counters. */
export class CountersIndexDefinition extends IndexDefinition {
  override get sourceType(): IndexSourceType {
    return "Counters";
  }
}

/** The definition of an index over time series. */
export class TimeSeriesIndexDefinition extends IndexDefinition {
  override get sourceType(): IndexSourceType {
    return "TimeSeries";
  }
}

/** Makes a {@link CountersIndexDefinition} without a class. */
export class CountersIndexDefinitionBuilder extends IndexDefinitionBuilder {
  override toIndexDefinition(conventions: DocumentConventions, validateMap = true): CountersIndexDefinition {
    return Object.assign(new CountersIndexDefinition(), super.toIndexDefinition(conventions, validateMap));
  }
}

/** Makes a {@link TimeSeriesIndexDefinition} without a class. */
export class TimeSeriesIndexDefinitionBuilder extends IndexDefinitionBuilder {
  override toIndexDefinition(
    conventions: DocumentConventions,
    validateMap = true,
  ): TimeSeriesIndexDefinition {
    return Object.assign(new TimeSeriesIndexDefinition(), super.toIndexDefinition(conventions, validateMap));
  }
}

/** What both have in common; members are called as in npm `ravendb`. */
abstract class ValueIndexCreationTask extends AbstractGenericIndexCreationTask {
  protected _reduce!: string;

  override get isMapReduce(): boolean {
    return !!this._reduce;
  }

  /** Gives the definition the members of this task. */
  protected defined<Definition extends IndexDefinition>(
    definition: Definition,
    maps: (string | undefined)[],
  ): Definition {
    if (!maps.every(Boolean)) fail("InvalidArgument", `the index ${this.getIndexName()} needs a map`);
    return Object.assign(definition, this._definitionOf(maps as string[], this._reduce));
  }
}

/** Several maps, as texts. */
abstract class ValueMultiMapTask extends ValueIndexCreationTask {
  protected readonly maps: string[] = [];

  protected _addMap(map: string): void {
    if (!map) fail("InvalidArgument", "_addMap takes the text of a map");
    this.maps.push(map);
  }
}

/** An index over counters. */
export abstract class AbstractGenericCountersIndexCreationTask extends ValueIndexCreationTask {}

/**
 * An index over counters in C#.
 *
 * ```ts
 * class Products_ByLikes extends AbstractCsharpCountersIndexCreationTask {
 *   constructor() {
 *     super();
 *     this.map = "from counter in counters.Products.Likes select new { Likes = counter.Value }";
 *   }
 * }
 * ```
 */
export abstract class AbstractCsharpCountersIndexCreationTask extends AbstractGenericCountersIndexCreationTask {
  map!: string;

  createIndexDefinition(): CountersIndexDefinition {
    return this.defined(new CountersIndexDefinition(), [this.map]);
  }
}

/** An index over counters of several collections, in C#. */
export abstract class AbstractMultiMapCountersIndexCreationTask extends ValueMultiMapTask {
  createIndexDefinition(): CountersIndexDefinition {
    return this.defined(new CountersIndexDefinition(), this.maps);
  }
}

/** An index over counters in JavaScript: `counters.map("Products", "Likes", (counter) => ({ Likes: counter.Value }))`. */
export abstract class AbstractRawJavaScriptCountersIndexCreationTask extends AbstractRawJavaScriptIndexCreationTask {
  override createIndexDefinition(): CountersIndexDefinition {
    return Object.assign(new CountersIndexDefinition(), super.createIndexDefinition());
  }
}

/** An index over time series. */
export abstract class AbstractGenericTimeSeriesIndexCreationTask extends ValueIndexCreationTask {}

/** An index over time series in C#: `from segment in timeSeries.Users.HeartRate from entry in segment.Entries select new { … }`. */
export abstract class AbstractCsharpTimeSeriesIndexCreationTask extends AbstractGenericTimeSeriesIndexCreationTask {
  map!: string;

  createIndexDefinition(): TimeSeriesIndexDefinition {
    return this.defined(new TimeSeriesIndexDefinition(), [this.map]);
  }
}

/** An index over time series of several collections, in C#. */
export abstract class AbstractMultiMapTimeSeriesIndexCreationTask extends ValueMultiMapTask {
  createIndexDefinition(): TimeSeriesIndexDefinition {
    return this.defined(new TimeSeriesIndexDefinition(), this.maps);
  }
}

/** An index over time series in JavaScript: `timeSeries.map("Users", "HeartRate", (segment) => segment.Entries.map(…))`. */
export abstract class AbstractRawJavaScriptTimeSeriesIndexCreationTask extends AbstractRawJavaScriptIndexCreationTask {
  override createIndexDefinition(): TimeSeriesIndexDefinition {
    return Object.assign(new TimeSeriesIndexDefinition(), super.createIndexDefinition());
  }
}
