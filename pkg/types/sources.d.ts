// Where ranges of numbers come from.

export type {
  ClassicSource,
  DocumentSource,
  Hi,
  LeasedRange,
  OwnSource,
  ReleasedRange,
  ServerSource,
} from "../dts/numbers/source-types.js";
