// IndexedDB that fails at random: transactions abort, at once or in the middle, or are told late that they are complete.
import { random } from "./random.mjs";

const setting = { share: 0, random: undefined };

/** From now on this share of the transactions fails. */
export function fail(share, ...seeds) {
  setting.share = share;
  setting.random = random(...seeds);
}

/** Milliseconds: longer than the package waits for a move. */
const LATE = 1_400;

const abort = (transaction) => {
  try {
    transaction.abort();
  } catch {
    // It was through before.
  }
};

const happen = {
  abort: (transaction) => queueMicrotask(() => abort(transaction)),
  later: (transaction, random) => setTimeout(abort, random.below(5), transaction),
  late(transaction, random) {
    const wait = random.below(LATE);
    Object.defineProperty(transaction, "oncomplete", {
      set(told) {
        transaction.addEventListener("complete", () => setTimeout(() => told.call(transaction), wait));
      },
    });
  },
};

const begin = IDBDatabase.prototype.transaction;
IDBDatabase.prototype.transaction = function (...args) {
  const transaction = begin.apply(this, args);
  const { share, random } = setting;
  if (random?.chance(share)) happen[random.pick(Object.keys(happen))](transaction, random);
  return transaction;
};
