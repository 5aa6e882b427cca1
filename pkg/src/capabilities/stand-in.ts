// The object of a capability that a session gives the app, also while the code of the capability is still being loaded.

import { attachmentNames } from "../attachments/attachment-names.js";
import { addLazy, type Load } from "../loading/lazy-operations.js";
import { everyMethod } from "../runtime/every-method.js";
import { here, later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { PartName } from "./part-names.js";
import type { SessionPart } from "./session-part.js";

/**
 * `given`: the app's arguments for `of`. Methods whose names begin with "get" or "ex" give promises; the others return nothing and change
 * what the next save sends; one whose name begins with "cr" gives the object that it creates.
 */
export function standIn<Made extends object>(state: SessionState, name: PartName, given: unknown[]): Made {
  const part: SessionPart | undefined = here(name);
  if (part) return part.of?.(state, ...(given as never[])) as Made;
  return everyMethod(
    (member, more) => {
      const isRead = /^(get|ex)/.test(member);
      // The code completes it when it is loaded.
      const made = /^cr/.test(member)
        ? { key: more[0], value: more[1], index: 0, metadata: {}, hasMetadata: () => false }
        : undefined;
      const call = async () =>
        (await later("capabilities")).callEarly(
          state,
          name,
          given,
          member,
          made ? [...more, made] : more,
          isRead,
        );
      if (isRead) return call();
      // What cannot be done must not be missing in a save that succeeds.
      state.runOrQueue(call, member).catch((error: unknown) => {
        state.unitOfWork.storedCommand({
          type: "",
          serialize() {
            throw error;
          },
        });
      });
      return made;
    },
    // These need no loading.
    () => ({
      lazily: lazies(state, name),
      getNames: (entity: object) => attachmentNames(state, entity),
    }),
  );
}

/** `lazily` of such an object: the code is loaded when the values are requested. */
export function lazies<Made extends object>(state: SessionState, name: PartName): Made {
  return everyMethod((member, given) =>
    addLazy(state, async () => {
      const part: SessionPart = await later(name);
      return part.lazy?.(state, member, given) as Load;
    }),
  );
}
