// Operations on counters, without a session. Names and results are those of npm `ravendb`.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { CounterBatch, CounterOperation, DocumentCountersOperation } from "../counters/counter-commands.js";
import type { CountersDetail } from "../counters/counter-types.js";
import { query } from "../wire/query-string.js";
import type { CommandRequest } from "./operation-types.js";
import { CommandOperation, reading } from "./single-request.js";

/** Characters of the names; longer lists are sent in a body. */
const LONGEST = 1_024;

/**
 * Changes and reads counters of several documents (`POST counters`), all or nothing. If its response is lost, the outcome is unknown, and it is
 * not sent again.
 *
 * ```ts
 * const likes = new DocumentCountersOperation();
 * likes.documentId = "products/1-A";
 * likes.operations = [CounterOperation.create("Likes", "Increment", 2)];
 * const batch = new CounterBatch();
 * batch.documents = [likes];
 * const { counters } = await store.operations.send(new CounterBatchOperation(batch));
 * ```
 */
export class CounterBatchOperation extends CommandOperation<CountersDetail> {
  constructor(counterBatch: CounterBatch) {
    super(() => {
      if (!counterBatch) fail("InvalidArgument", "this operation needs a CounterBatch");
      return reading({ method: "POST", route: "counters", body: counterBatch.serialize() });
    });
  }
}

/**
 * Reads counters of a document (`GET counters`), without names all of them.
 *
 * ```ts
 * const { counters } = await store.operations.send(new GetCountersOperation("products/1-A", ["Likes", "Views"]));
 * ```
 */
export class GetCountersOperation extends CommandOperation<CountersDetail> {
  /** @param returnFullResults Whether results have the value of each node. */
  constructor(docId: string, counters?: string | string[] | null, returnFullResults = false) {
    // `flat()` would leave out holes, which are counters without a name.
    const names = [...new Set(Array.isArray(counters) ? counters : counters ? [counters] : [])];
    super(() => {
      if (!isText(docId)) fail("InvalidArgument", "counters need the id of a document");
      return reading(requestFor(docId, names, returnFullResults ? true : undefined));
    });
  }
}

function requestFor(documentId: string, names: string[], full: true | undefined): CommandRequest {
  if (names.length < 2 || names.join("").length < LONGEST) {
    const counters = names.map((name) => ["counter", name ?? ""] as const);
    return { route: `counters?${query([["docId", documentId], ...counters, ["full", full]])}` };
  }
  const batch = new CounterBatch();
  const operations = names.map((name) => CounterOperation.create(name, "Get"));
  batch.documents = [Object.assign(new DocumentCountersOperation(), { documentId, operations })];
  if (full) batch.replyWithAllNodesValues = full;
  return { method: "POST", route: "counters", body: batch.serialize(), safe: true };
}
