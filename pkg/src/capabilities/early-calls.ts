// Calls that an app has made before the code of a capability was loaded.

import { later } from "../runtime/load-part.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { SessionState } from "../session/session-state.js";
import type { PartName } from "./part-names.js";
import type { SessionPart } from "./session-part.js";

type Methods = Record<string, (...given: unknown[]) => unknown>;

/**
 * Makes such a call. What would have thrown at the app in a call that returns nothing refuses the next save, once: the call had no
 * effect.
 */
export async function callEarly(
  state: SessionState,
  name: PartName,
  given: unknown[],
  member: string,
  more: unknown[],
  isRead: boolean,
): Promise<unknown> {
  const part: SessionPart = await later(name);
  try {
    const real = part.of?.(state, ...(given as never[])) as Methods;
    return real[member]?.(...more);
  } catch (error) {
    if (isRead) throw error;
    const refusal: ICommandData = {
      type: "",
      serialize: () => ({}),
      onBeforeSaveChanges() {
        state.unitOfWork.evictedCommand(refusal);
        throw error;
      },
    };
    state.unitOfWork.storedCommand(refusal);
  }
}
