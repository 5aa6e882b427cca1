// Applies the results of deferred commands to the session, without the code for commands other than deletions.

import { here } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { ICommandData } from "./batch-commands.js";
import type { CommandResult } from "./batch-response.js";

/** `results`: of `commands`; `text`: the whole response. Returns the slots of the documents that were written. */
export function follow(
  state: SessionState,
  commands: readonly ICommandData[],
  results: CommandResult[],
  text: string,
): number[] {
  const { tracker } = state;
  const part = here("session");
  // A save with other commands than deletions loads the part before it is sent.
  if (part) return part.followAll(state, commands, results, text);
  for (const { Id } of results.map<CommandResult>(Object)) {
    const slot = tracker.slot(Id ?? "");
    if (slot >= 0) tracker.drop(slot);
  }
  return [];
}
