// How places are indexed.

import { fail } from "../error.js";

/** Levels of a geohash: cells of 4.78 m at the equator. */
export const DEFAULT_GEOHASH_LEVEL = 9;
/** Levels of a quad tree, for cells of about the same size. */
export const DEFAULT_QUAD_TREE_LEVEL = 23;

export class SpatialOptions {
  constructor(options) {
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

/** Options as they are, also where the constructor would put its default in place of a 0. */
const optionsOf = (values) => Object.assign(new SpatialOptions(), values);

export class SpatialBounds {
  constructor(minX, minY, maxX, maxY) {
    Object.assign(this, { minX, maxX, minY, maxY });
  }
}

/** Places in degrees. */
export class GeographySpatialOptionsFactory {
  defaultOptions(circleRadiusUnits) {
    return this.geohashPrefixTreeIndex(0, circleRadiusUnits);
  }

  boundingBoxIndex(units = "Kilometers") {
    return optionsOf({ strategy: "BoundingBox", units });
  }

  geohashPrefixTreeIndex(maxTreeLevel, units = "Kilometers") {
    return optionsOf({ maxTreeLevel: maxTreeLevel === 0 ? DEFAULT_GEOHASH_LEVEL : maxTreeLevel, units });
  }

  quadPrefixTreeIndex(maxTreeLevel, units = "Kilometers") {
    const level = maxTreeLevel === 0 ? DEFAULT_QUAD_TREE_LEVEL : maxTreeLevel;
    return optionsOf({ strategy: "QuadPrefixTree", maxTreeLevel: level, units });
  }
}

/** Places in a plane. */
export class CartesianSpatialOptionsFactory {
  boundingBoxIndex() {
    return optionsOf({ type: "Cartesian", strategy: "BoundingBox" });
  }

  quadPrefixTreeIndex(maxTreeLevel, bounds) {
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
  geography() {
    return new GeographySpatialOptionsFactory();
  }

  cartesian() {
    return new CartesianSpatialOptionsFactory();
  }
}
