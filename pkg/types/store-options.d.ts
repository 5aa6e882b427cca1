// How a store is opened.

export type { HeadersSource, StoreOptions } from "../dts/store/store-options.js";
