// `session.advanced.attachments`, also while its code is still being loaded.

import { here, later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import { attachmentNames } from "./attachment-names.js";
import type { AttachmentsSessionOperations } from "./attachment-types.js";

export function attachmentsOf(state: SessionState): AttachmentsSessionOperations {
  const part = here("attachments");
  if (part) return part.of(state);
  const get =
    (_: object, member: string) =>
    (given: object, ...more: unknown[]) => {
      const call = async () => (await later("attachments")).call(state, member, given, more);
      if (/^(get|ex)/.test(member)) return member === "getNames" ? attachmentNames(state, given) : call();
      // An attachment that cannot be stored must not be missing in a save that succeeds.
      state.runOrQueue(call).catch((error: unknown) => {
        state.defer({
          type: "",
          serialize() {
            throw error;
          },
        });
      });
    };
  return new Proxy<object>({}, { get }) as AttachmentsSessionOperations;
}
