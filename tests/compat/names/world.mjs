// What is in the database of each package (observe.mjs), by name.

/** The classes of documents and of a time series. */
export class Order {}
export class HeartRate {
  static TIME_SERIES_VALUES = ["bpm"];
  bpm = 70;
}

export const DATE = "2026-01-01T00:00:00.000Z";
export const ID = "orders/1-A";
/** A document with an attachment. */
export const FILE = "files/1";
export const INDEX = "Orders/All";
