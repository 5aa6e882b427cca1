// Sends the batch of a save that waits, is a transaction of the cluster, or has deferred commands other than deletions.

import { later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import { WRITING } from "./batch-commands.js";
import { query, wait } from "./save-options.js";

/** `cluster`: it is a transaction of the whole cluster; `mode`: for the core; `read` makes the result from the response. */
export async function sendSpecial<Result>(
  state: SessionState,
  cluster: boolean,
  mode: number,
  read: (response: { text: string }) => Result,
): Promise<Result> {
  const send = (body: unknown = state.sent.body()) =>
    state.run(
      state.enter((core) => core.save(query(state, cluster), body, wait(state), mode)),
      read,
    );
  return state.underWay.every(({ type }) => WRITING.test(type))
    ? send()
    : (await later("capabilities")).sendBatch(state, cluster, send);
}
