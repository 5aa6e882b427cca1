// `session.advanced.revisions`, also while its code is still being loaded.

import { standIn } from "../capabilities/stand-in.js";
import { addLazy } from "../loading/lazy-operations.js";
import { later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { ILazyRevisionsOperations, IRevisionsSessionOperations } from "./revision-types.js";

/** The code is loaded when the values are requested. */
export function lazyRevisions(state: SessionState): ILazyRevisionsOperations {
  const get =
    (_: object, member: string) =>
    (...given: unknown[]) =>
      addLazy(state, async () => new (await later("revisions")).LazyRevisions(state, member, given));
  return new Proxy<object>({}, { get }) as ILazyRevisionsOperations;
}

export const revisionsOf = (state: SessionState): IRevisionsSessionOperations =>
  standIn(state, "revisions", [], { lazily: lazyRevisions(state) });
