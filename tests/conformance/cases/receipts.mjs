// What the queue of changes on a device relies on: the receipt, the first command of each of its batches (`docs/offline.md`).
import { bulk, get, P } from "../lib/documents.mjs";

const RECEIPT = "Raven-Edge/Devices/0123456789abcdef0123456789abcdef";
const batchId = (number) => String(number).padStart(32, "0");
/** A receipt that expects a change vector; empty: it does not exist yet. */
const receipt = (Last, ChangeVector, Id = RECEIPT) => ({
  Type: "PUT",
  Id,
  ChangeVector,
  Document: {
    Last,
    Batch: batchId(Last),
    User: "ann",
    "@metadata": { "@collection": "@raven-edge" },
  },
});
const order = (id, more = {}) =>
  P(id, { Document: { total: 1, "@metadata": { "@collection": "Orders" } }, ...more });
const read = (...Ids) => ({
  method: "POST",
  path: "{D}/docs",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ Ids }),
});
const twice = (step) => [step, { ...step, names: RECEIPT }];

export default [
  {
    name: "a batch that arrives twice conflicts about its receipt, and nothing of it is applied",
    own: true,
    steps: [
      ...twice(bulk(receipt(1, ""), order("orders/1", { ChangeVector: "" }))),
      get("orders/1"),
      bulk(receipt(1, ""), order("orders/2", { ChangeVector: "" })),
      get("orders/2"),
      get(RECEIPT),
    ],
  },
  {
    name: "the next batch expects the change vector of the receipt before, and a late copy of the first one conflicts",
    own: true,
    steps: [
      bulk(receipt(1, ""), order("orders/1")),
      (s) => bulk(receipt(2, s.vector(0)), order("orders/1"), { Type: "DELETE", Id: "orders/never" }),
      (s) => ({ ...bulk(receipt(2, s.vector(0)), order("orders/1")), names: RECEIPT }),
      { ...bulk(receipt(1, ""), order("orders/3")), names: RECEIPT },
      get("orders/3"),
      read(RECEIPT),
    ],
  },
  {
    name: "after a conflict about a document the receipt is what it was, and a fence can be saved",
    own: true,
    steps: [
      bulk(order("orders/1")),
      {
        ...bulk(receipt(1, ""), order("orders/2"), order("orders/1", { ChangeVector: "" })),
        names: "orders/1",
      },
      read(RECEIPT, "orders/2"),
      bulk(receipt(2, "")),
      { ...bulk(receipt(1, ""), order("orders/2")), names: RECEIPT },
      get("orders/2"),
    ],
  },
  {
    name: "each id of a read has a result, in the order of the request: so an unsharded database is recognised",
    own: true,
    steps: [
      read(RECEIPT, RECEIPT.replace("0", "1"), RECEIPT.replace("0", "2")),
      bulk(receipt(1, "")),
      read(RECEIPT.replace("0", "1"), RECEIPT, RECEIPT.replace("0", "2")),
      read(RECEIPT, RECEIPT.toLowerCase()),
    ],
  },
  {
    name: "a receipt that was deleted does not exist, for a batch that expects it",
    own: true,
    steps: [
      bulk(receipt(1, "")),
      bulk({ Type: "DELETE", Id: RECEIPT }),
      (s) => ({ ...bulk(receipt(2, s.vector(0)), order("orders/1")), names: RECEIPT }),
      bulk(receipt(1, ""), order("orders/1")),
    ],
  },
];
