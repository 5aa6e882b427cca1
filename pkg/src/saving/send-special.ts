// Sends the batch of a save that waits, is a transaction of the cluster, or has deferred commands other than deletions.

import { fail } from "../common/error.js";
import { later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { Batch } from "./batch.js";
import { WRITING } from "./batch-commands.js";
import { longest, query, waitsOf } from "./save-options.js";

/** RavenDB would remove attachments, counters and time series from documents that a cluster-wide transaction writes. */
function assertBare(batch: Batch): void {
  for (const [at, slot] of batch.slots.entries())
    if (/Has(Att|Cou|Tim)/.test(batch.flags[at] as string))
      fail(
        "Unsupported",
        `${batch.idOf(slot)} has attachments, counters or time series: change it without "ClusterWide"`,
      );
}

/** Resolves with the text of the response. */
export async function sendSpecial(state: SessionState, batch: Batch): Promise<string> {
  const { cluster, commands, options } = batch;
  // RavenDB would ignore the command silently.
  const only = !cluster && commands.find(({ type }) => /^CompareExchange/.test(type));
  if (only) fail("InvalidOperation", `${only.type} needs transactionMode: "ClusterWide"`);
  if (cluster) assertBare(batch);
  const waits = waitsOf(options, state.conventions);
  const unguarded = "disableAtomicDocumentWritesInClusterWideTransaction";
  const isUnguarded = state.options[unguarded] ?? state.conventions[unguarded];
  const send = (body: unknown = batch.body) =>
    state.run(
      state.enter((core) => core.save(query(waits, cluster, isUnguarded), body, longest(waits))),
      ({ text }) => text,
    );
  return commands.every(({ type }) => WRITING.test(type))
    ? send()
    : (await later("capabilities")).sendBatch(state, batch, send);
}
