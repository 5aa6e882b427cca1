// A session without queries.

import type { StoreBase } from "../store/store.js";
import { Advanced } from "./advanced.js";
import type { SessionOptions } from "./session-options.js";
import { SessionState } from "./session-state.js";

export class DocumentSession extends Advanced {
  constructor(store: StoreBase, options: SessionOptions) {
    super(new SessionState(store, options));
  }
}
