// The object of a capability that a session gives the app, also while the code of the capability is still being loaded.

import { addLazy, type Load } from "../loading/lazy-operations.js";
import { here, later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { PartName } from "./part-names.js";
import type { SessionPart } from "./session-part.js";

/**
 * `given`: the app's arguments for `of`. Methods whose names begin with "get" or "ex" give promises; the others return nothing and change
 * what the next save sends; one whose name begins with "cr" gives the object that it creates. `own`: methods that need no loading.
 */
export function standIn<Made extends object>(
  state: SessionState,
  name: PartName,
  given: unknown[],
  own: object = {},
): Made {
  const part: SessionPart | undefined = here(name);
  if (part) return part.of?.(state, ...(given as never[])) as Made;
  const get = (_: object, member: string) => {
    // An `async` function may return this object.
    if (member === "then") return;
    if (member === "lazily") return lazies(state, name);
    if (member in own) return Reflect.get(own, member) as unknown;
    return (...more: unknown[]) => {
      const isRead = /^(get|ex)/.test(member);
      // The code completes it when it is loaded.
      const made = /^cr/.test(member) && { key: more[0], value: more[1], index: 0, metadata: {} };
      if (made) more.push(made);
      const call = async () =>
        (await later("capabilities")).callEarly(state, await later(name), given, member, more, isRead);
      if (isRead) return call();
      // What cannot be done must not be missing in a save that succeeds.
      state.runOrQueue(call).catch((error: unknown) => {
        state.defer({
          type: "",
          serialize() {
            throw error;
          },
        });
      });
      return made || undefined;
    };
  };
  return new Proxy(own, { get }) as Made;
}

/** `lazily` of such an object: the code is loaded when the values are requested. */
export function lazies<Made extends object>(state: SessionState, name: PartName): Made {
  const get =
    (_: object, member: string) =>
    (...given: unknown[]) =>
      addLazy(state, async () => {
        const part: SessionPart = await later(name);
        return part.lazy?.(state, member, given) as Load;
      });
  return new Proxy<object>({}, { get }) as Made;
}
