/**
 * Only RavenDB document ids: the counters of `raven-edge` without sessions, in about half of its bytes.
 *
 * ```ts
 * import { HiLoStore } from "raven-edge/hilo";
 *
 * const store = new HiLoStore("/raven", "Shop").initialize();
 * const id = await store.hilo("orders").next();      // "orders/1-A"
 * await store.dispose();                             // unused numbers go back
 * ```
 *
 * It shares parked numbers with `raven-edge` on the same origin, and never issues an id twice.
 */

export { type HiLoConventions, HiLoStore, type HiLoStoreEvents } from "./dts/numbers/id-store-types.js";
export type {
  BeforeRequestEventArgs,
  ClassicSource,
  DocumentSource,
  ErrorCode,
  FailedRequestEventArgs,
  HeadersSource,
  Hi,
  HiLoStatus,
  LeasedRange,
  LeaseEvent,
  OwnSource,
  RegressionEvent,
  ReleasedRange,
  ReturnEvent,
  ServerSource,
  StorageEvent,
  StoreOptions,
  SucceedRequestEventArgs,
} from "./index.js";
export { HiLo, RavenEdgeError, version } from "./index.js";
