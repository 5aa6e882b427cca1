// What capabilities that take part in sessions share. It is loaded with the first of them.

export { callEarly } from "./early-calls.js";
export { included, includedItems, includeParameters, inOrder, loadIncluded } from "./includes.js";
export { loadedPart } from "./part-names.js";
export { sendBatch } from "./send-batch.js";
