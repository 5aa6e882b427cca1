// Takes commands back.

import type { ICommandData } from "../saving/batch-commands.js";
import type { SessionState } from "../session/session-state.js";

/** Removes a deferred command that no save has sent, if it is still there. */
export function withdraw({ deferred }: SessionState, command: ICommandData): void {
  const at = deferred.indexOf(command);
  if (at >= 0) deferred.splice(at, 1);
}
