// The events of a store.

export type {
  BeforeRequestEventArgs,
  FailedRequestEventArgs,
  LeaseEvent,
  RegressionEvent,
  RequestEvents,
  ReturnEvent,
  SessionEventArgs,
  StorageEvent,
  StoreEvents,
  StoreSessionEvents,
  SucceedRequestEventArgs,
  TopologyUpdatedEventArgs,
} from "../dts/store/store-events.js";
