// Sends the batch of a save that waits, is a transaction of the cluster, or has deferred commands other than deletions.

import { fail } from "../common/error.js";
import { later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import { WRITING } from "./batch-commands.js";
import { longest, query, waitsOf } from "./save-options.js";

/** `cluster`: it is a transaction of the whole cluster; `mode`: for the core; `read` makes the result from the response. */
export async function sendSpecial<Result>(
  state: SessionState,
  cluster: boolean,
  mode: number,
  read: (response: { text: string }) => Result,
): Promise<Result> {
  // RavenDB would ignore the command silently.
  const only = !cluster && state.underWay.find(({ type }) => /^CompareExchange/.test(type));
  if (only) fail("InvalidOperation", `${only.type} needs transactionMode: "ClusterWide"`);
  const waits = waitsOf(state);
  const send = (body: unknown = state.sent.body(), without = 0) =>
    state.run(
      state.enter((core) => core.save(query(waits, cluster), body, longest(waits), mode & ~without)),
      read,
    );
  return state.underWay.every(({ type }) => WRITING.test(type))
    ? send()
    : (await later("capabilities")).sendBatch(state, cluster, send);
}
