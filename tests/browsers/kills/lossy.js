// A broken variant of the browser: transactions that take numbers out of the pool are rolled back but reported as complete,
// as a power failure does to a claim that is not on disk. Later claims of the same numbers issue them again.
const { transaction: begin } = IDBDatabase.prototype;
const { get, put } = IDBObjectStore.prototype;
const reads = new WeakMap();

const count = (text) =>
  JSON.parse(text ?? '{"parked":[]}').parked.reduce((sum, [low, high]) => sum + high - low + 1, 0);

IDBDatabase.prototype.transaction = function (...values) {
  const transaction = begin.apply(this, values);
  reads.set(transaction, new Map());
  return transaction;
};

IDBObjectStore.prototype.get = function (key) {
  const request = get.call(this, key);
  reads.get(this.transaction).set(key, request);
  return request;
};

IDBObjectStore.prototype.put = function (text, key) {
  const request = put.call(this, text, key);
  const { transaction } = this;
  const before = reads.get(transaction).get(key);
  if (before && count(before.result) > count(text)) {
    transaction.onabort = transaction.oncomplete;
    request.onsuccess = () => transaction.abort();
  }
  return request;
};
