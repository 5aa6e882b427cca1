// `store.subscriptions`, and workers, also while their code is still being loaded.

import { here, later } from "../runtime/load-part.js";
import { standIn } from "../runtime/stand-in.js";
import type { StoreBase } from "../store/store.js";
import type { DocumentSubscriptions } from "./subscription-types.js";

/** Members of both; `then`: an `async` function may return the object. */
const MEMBERS = [/^getS\w+W/, /^(o|re)/, /^(?!then$)/] as const;

export function subscriptionsOf(store: StoreBase): DocumentSubscriptions {
  const part = here("subscriptions");
  return part
    ? part.of(store)
    : standIn(
        later("subscriptions").then((made) => made.of(store)),
        MEMBERS,
      );
}
