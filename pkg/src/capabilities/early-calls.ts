// Calls that an app has made before the code of a capability was loaded.

import type { ICommandData } from "../saving/batch-commands.js";
import type { SessionState } from "../session/session-state.js";
import type { SessionPart } from "./session-part.js";

type Methods = Record<string, (...given: unknown[]) => unknown>;

/**
 * Makes such a call. What would have thrown at the app in a call that returns nothing refuses the next save, once: the call had no
 * effect.
 */
export function callEarly(
  state: SessionState,
  part: SessionPart,
  given: unknown[],
  member: string,
  more: unknown[],
  isRead: boolean,
): unknown {
  try {
    const real = part.of?.(state, ...(given as never[])) as Methods;
    return real[member]?.(...more);
  } catch (error) {
    if (isRead) throw error;
    const refusal: ICommandData = {
      type: "",
      serialize: () => ({}),
      onBeforeSaveChanges() {
        state.withdraw(refusal);
        throw error;
      },
    };
    state.defer(refusal);
  }
}
