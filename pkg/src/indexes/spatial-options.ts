// How geographic and plane coordinates are indexed.

import { fail } from "../common/error.js";

export type SpatialFieldType = "Geography" | "Cartesian";
export type SpatialSearchStrategy = "GeohashPrefixTree" | "QuadPrefixTree" | "BoundingBox";
export type SpatialUnits = "Kilometers" | "Miles";

/** Levels of a geohash: cells of 4.78 m at the equator. */
export const DEFAULT_GEOHASH_LEVEL: number = 9;
/** Levels of a quad tree, for cells of about the same size. */
export const DEFAULT_QUAD_TREE_LEVEL: number = 23;

/** How coordinates are indexed. */
export class SpatialOptions {
  declare type: SpatialFieldType;
  declare strategy: SpatialSearchStrategy;
  declare maxTreeLevel: number;
  declare minX: number;
  declare maxX: number;
  declare minY: number;
  declare maxY: number;
  /** The unit of the radius of circles; only for geographic coordinates. */
  declare units: SpatialUnits;

  constructor(options?: Partial<SpatialOptions>) {
    const given = options ?? {};
    this.type = given.type || "Geography";
    this.strategy = given.strategy || "GeohashPrefixTree";
    this.maxTreeLevel = given.maxTreeLevel || DEFAULT_GEOHASH_LEVEL;
    this.minX = given.minX || -180;
    this.maxX = given.maxX || 180;
    this.minY = given.minY || -90;
    this.maxY = given.maxY || 90;
    this.units = given.units || "Kilometers";
  }
}

/** Options with exactly these values: the constructor would replace a 0 by its default. */
const optionsOf = (values: Partial<SpatialOptions>): SpatialOptions =>
  Object.assign(new SpatialOptions(), values);

export class SpatialBounds {
  declare minX: number;
  declare maxX: number;
  declare minY: number;
  declare maxY: number;

  constructor(minX: number, minY: number, maxX: number, maxY: number) {
    Object.assign(this, { minX, maxX, minY, maxY });
  }
}

/** Options for geographic coordinates, in degrees. `maxTreeLevel` 0: the default. */
export class GeographySpatialOptionsFactory {
  defaultOptions(circleRadiusUnits?: SpatialUnits): SpatialOptions {
    return this.geohashPrefixTreeIndex(0, circleRadiusUnits);
  }

  boundingBoxIndex(units: SpatialUnits = "Kilometers"): SpatialOptions {
    return optionsOf({ strategy: "BoundingBox", units });
  }

  geohashPrefixTreeIndex(maxTreeLevel: number, units: SpatialUnits = "Kilometers"): SpatialOptions {
    return optionsOf({ maxTreeLevel: maxTreeLevel === 0 ? DEFAULT_GEOHASH_LEVEL : maxTreeLevel, units });
  }

  quadPrefixTreeIndex(maxTreeLevel: number, units: SpatialUnits = "Kilometers"): SpatialOptions {
    const level = maxTreeLevel === 0 ? DEFAULT_QUAD_TREE_LEVEL : maxTreeLevel;
    return optionsOf({ strategy: "QuadPrefixTree", maxTreeLevel: level, units });
  }
}

/** Options for coordinates in a plane. */
export class CartesianSpatialOptionsFactory {
  boundingBoxIndex(): SpatialOptions {
    return optionsOf({ type: "Cartesian", strategy: "BoundingBox" });
  }

  /** @throws {RavenEdgeError} `InvalidArgument` for level 0. */
  quadPrefixTreeIndex(maxTreeLevel: number, bounds: SpatialBounds): SpatialOptions {
    if (maxTreeLevel === 0) fail("InvalidArgument", "maxTreeLevel begins at 1");
    const { minX, minY, maxX, maxY } = bounds;
    return optionsOf({
      type: "Cartesian",
      strategy: "QuadPrefixTree",
      maxTreeLevel,
      minX,
      minY,
      maxX,
      maxY,
    });
  }
}

export class SpatialOptionsFactory {
  geography(): GeographySpatialOptionsFactory {
    return new GeographySpatialOptionsFactory();
  }

  cartesian(): CartesianSpatialOptionsFactory {
    return new CartesianSpatialOptionsFactory();
  }
}
