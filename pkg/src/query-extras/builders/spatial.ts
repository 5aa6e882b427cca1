// Places: fields, and shapes that they are compared with.

import { AnyThis } from "../../common/any-this.js";
import type { SpatialUnits } from "../../indexes/spatial-options.js";

/** How a place is related to a shape. */
export type SpatialRelation = "Within" | "Contains" | "Disjoint" | "Intersects";

/** Coordinates inside of documents, for queries of a collection. An index has spatial fields of its own. */
export abstract class DynamicSpatialField {
  /** Distances are rounded to multiples of this number, for `orderByDistance`. */
  declare roundFactor: number | undefined;

  /** Rounds distances when ordering: `roundTo(100)` puts places between 50 and 149 together. */
  roundTo(factor: number): this {
    this.roundFactor = factor;
    return this;
  }
}

/** A point: a field with the latitude, and one with the longitude. */
export class PointField extends DynamicSpatialField {
  latitude: string;
  longitude: string;

  constructor(latitude: string, longitude: string) {
    super();
    this.latitude = latitude;
    this.longitude = longitude;
  }
}

/** A field with a shape in WKT, such as `POLYGON ((30 10, 40 40, 20 40, 30 10))`: longitude first. */
export class WktField extends DynamicSpatialField {
  wkt: string;

  constructor(wkt: string) {
    super();
    this.wkt = wkt;
  }
}

/** How much of a shape may be wrong at its border by default: 2.5 %. */
export const DEFAULT_ERROR = 0.025;

/** How a place is related to a shape. `distanceErrorPct`: how much of the shape may be wrong at its border, default 0.025. */
export abstract class SpatialCriteria {
  readonly relation: SpatialRelation;
  readonly distanceErrorPct: number;

  protected constructor(relation: SpatialRelation, distanceErrorPct: number | null | undefined) {
    this.relation = relation;
    this.distanceErrorPct = distanceErrorPct ?? DEFAULT_ERROR;
  }
}

/** A circle. */
export class CircleCriteria extends SpatialCriteria {
  readonly circle: readonly [radius: number, latitude: number, longitude: number];
  readonly units: SpatialUnits | null | undefined;

  constructor(
    radius: number,
    latitude: number,
    longitude: number,
    units: SpatialUnits | null | undefined,
    relation: SpatialRelation,
    distanceErrorPct?: number | null,
  ) {
    super(relation, distanceErrorPct);
    this.circle = [radius, latitude, longitude];
    this.units = units;
  }
}

/** A shape in WKT. */
export class WktCriteria extends SpatialCriteria {
  readonly wkt: string;
  readonly units: SpatialUnits | null | undefined;

  constructor(
    wkt: string,
    relation: SpatialRelation,
    units: SpatialUnits | null | undefined,
    distanceErrorPct?: number | null,
  ) {
    super(relation, distanceErrorPct);
    this.wkt = wkt;
    this.units = units;
  }
}

/** The units, or a number in place of them: the `distanceErrorPct`. */
type UnitsOrError = SpatialUnits | number | null;

/**
 * Makes criteria. Shapes are WKT, longitude first. `units`: the units of distances in the shape; default: those of the index, which are
 * kilometers unless it says otherwise.
 */
export class SpatialCriteriaFactory extends AnyThis {
  relatesToShape(
    shapeWkt: string,
    relation: SpatialRelation,
    units?: SpatialUnits | null,
    distanceErrorPct?: number | null,
  ): SpatialCriteria {
    return new WktCriteria(shapeWkt, relation, units, distanceErrorPct);
  }

  intersects(
    shapeWkt: string,
    unitsOrError?: UnitsOrError,
    distanceErrorPct?: number | null,
  ): SpatialCriteria {
    return this.#relates(shapeWkt, "Intersects", unitsOrError, distanceErrorPct);
  }

  contains(shapeWkt: string, unitsOrError?: UnitsOrError, distanceErrorPct?: number | null): SpatialCriteria {
    return this.#relates(shapeWkt, "Contains", unitsOrError, distanceErrorPct);
  }

  disjoint(shapeWkt: string, unitsOrError?: UnitsOrError, distanceErrorPct?: number | null): SpatialCriteria {
    return this.#relates(shapeWkt, "Disjoint", unitsOrError, distanceErrorPct);
  }

  within(shapeWkt: string, unitsOrError?: UnitsOrError, distanceErrorPct?: number | null): SpatialCriteria {
    return this.#relates(shapeWkt, "Within", unitsOrError, distanceErrorPct);
  }

  /** `units`: the units of the radius; default: those of the index, which are kilometers unless it says otherwise. */
  withinRadius(
    radius: number,
    latitude: number,
    longitude: number,
    units?: SpatialUnits | null,
    distanceErrorPct?: number | null,
  ): SpatialCriteria {
    return new CircleCriteria(radius, latitude, longitude, units, "Within", distanceErrorPct);
  }

  #relates(
    wkt: string,
    relation: SpatialRelation,
    unitsOrError: UnitsOrError | undefined,
    error: number | null | undefined,
  ): SpatialCriteria {
    return typeof unitsOrError === "number"
      ? new WktCriteria(wkt, relation, null, unitsOrError)
      : new WktCriteria(wkt, relation, unitsOrError, error);
  }
}
