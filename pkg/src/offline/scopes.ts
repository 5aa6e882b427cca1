// Names what is on the device: whose it is, and of which database.

import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { addressOf, ELSEWHERE } from "../store/check-options.js";
import type { StoreBase } from "../store/store.js";

const originIn = (store: StoreBase): string[] => [
  addressOf(store.urls[0] as string, ELSEWHERE).href,
  idKey(store.database),
];

/** Server and database. */
export const originOf = (store: StoreBase): string => JSON.stringify(originIn(store));

/** Server, database, user. */
export const scopeOf = (store: StoreBase, user: string): string => JSON.stringify([...originIn(store), user]);

export function noDocuments(): never {
  fail("InvalidOperation", "nothing is kept on this device without offline({ documents })");
}
