// Applies the results of commands that are not about documents of the session to it: entities show what was patched, deleted documents
// are dropped, capabilities get what is theirs.

import { patched } from "../patching/patch-results.js";
import { here } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { ICommandData } from "./batch-commands.js";
import type { CommandResult } from "./settle.js";

/** `results`: of `commands`; `text`: the whole response. Returns the slots of the documents that were written. */
export function followAll(
  state: SessionState,
  commands: readonly ICommandData[],
  results: CommandResult[],
  text: string,
): number[] {
  const { unitOfWork } = state;
  const written: number[] = [];
  const patch = patched(state, text);
  const parts = commands.map(({ type }) => here("capabilities")?.loadedPart(type));
  commands.forEach((command, at) => {
    parts[at]?.show?.(state, Object(results[at]) as CommandResult, command);
  });
  for (const [at, result] of results.map<CommandResult>(Object).entries()) {
    if (parts[at]) continue;
    const { Type, PatchStatus, Id, "@id": id = PatchStatus && Id, ModifiedDocument } = result;
    // A deferred command may have created a document that did not exist.
    if (id) unitOfWork.savedThere(id);
    const slot = unitOfWork.slot(Id ?? id ?? "");
    if (slot < 0) continue;
    if (Type === "DELETE") {
      unitOfWork.savedDeletion(slot);
      continue;
    }
    if (Type === "PUT") written.push(slot);
    if (!ModifiedDocument || PatchStatus === "NotModified") continue;
    patch(slot, result);
    written.push(slot);
  }
  return written;
}
