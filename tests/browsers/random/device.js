// IndexedDB that fails at random: transactions abort at once or later, or are reported as complete late.
import { random } from "./random.mjs";

const setting = { share: 0, random: undefined };

/** From now on this share of transactions fails. */
export function fail(share, ...seeds) {
  setting.share = share;
  setting.random = random(...seeds);
}

/** In milliseconds: longer than the package waits for a move. */
const LATE = 1_400;

const abort = (transaction) => {
  try {
    transaction.abort();
  } catch {
    // It has completed before.
  }
};

const happen = {
  abort: (transaction) => queueMicrotask(() => abort(transaction)),
  later: (transaction, random) => setTimeout(abort, random.below(5), transaction),
  late(transaction, random) {
    const wait = random.below(LATE);
    Object.defineProperty(transaction, "oncomplete", {
      set(listener) {
        transaction.addEventListener("complete", () => setTimeout(() => listener.call(transaction), wait));
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
