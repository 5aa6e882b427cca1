// Places: fields, and shapes that they are compared with.

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
  constructor(
    public latitude: string,
    public longitude: string,
  ) {
    super();
  }
}

/** A field with a shape in WKT, such as `POLYGON ((30 10, 40 40, 20 40, 30 10))`: longitude first. */
export class WktField extends DynamicSpatialField {
  constructor(public wkt: string) {
    super();
  }
}

/** How much of a shape may be wrong at its border by default: 2.5 %. */
export const DEFAULT_ERROR = 0.025;

/** How a place is related to a shape. `distanceErrorPct`: how much of the shape may be wrong at its border, default 0.025. */
export abstract class SpatialCriteria {
  readonly distanceErrorPct: number;

  protected constructor(
    readonly relation: SpatialRelation,
    distanceErrorPct: number | null | undefined,
  ) {
    this.distanceErrorPct = distanceErrorPct ?? DEFAULT_ERROR;
  }
}

/** A circle. */
export class CircleCriteria extends SpatialCriteria {
  readonly circle: readonly [radius: number, latitude: number, longitude: number];

  constructor(
    radius: number,
    latitude: number,
    longitude: number,
    readonly units: SpatialUnits | null | undefined,
    relation: SpatialRelation,
    distanceErrorPct?: number | null,
  ) {
    super(relation, distanceErrorPct);
    this.circle = [radius, latitude, longitude];
  }
}

/** A shape in WKT. */
export class WktCriteria extends SpatialCriteria {
  constructor(
    readonly wkt: string,
    relation: SpatialRelation,
    readonly units: SpatialUnits | null | undefined,
    distanceErrorPct?: number | null,
  ) {
    super(relation, distanceErrorPct);
  }
}

/** Makes criteria of a relation. `unitsOrError`: the units, or a number in place of them: the `distanceErrorPct`. */
type Relate = (
  shapeWkt: string,
  unitsOrError?: SpatialUnits | number | null,
  distanceErrorPct?: number | null,
) => SpatialCriteria;

function relate(relation: SpatialRelation): Relate {
  return (wkt, unitsOrError, error) =>
    typeof unitsOrError === "number"
      ? new WktCriteria(wkt, relation, null, unitsOrError)
      : new WktCriteria(wkt, relation, unitsOrError, error);
}

/**
 * Makes criteria. Shapes are WKT, longitude first. `units`: the units of distances in the shape; default: those of the index, which are
 * kilometers unless it says otherwise.
 */
export class SpatialCriteriaFactory {
  intersects: Relate = relate("Intersects");
  contains: Relate = relate("Contains");
  disjoint: Relate = relate("Disjoint");
  within: Relate = relate("Within");

  relatesToShape(
    shapeWkt: string,
    relation: SpatialRelation,
    units?: SpatialUnits | null,
    distanceErrorPct?: number | null,
  ): SpatialCriteria {
    return new WktCriteria(shapeWkt, relation, units, distanceErrorPct);
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
}
