// Since when documents of sessions are kept, if they come from the device.

import { idKey } from "../../common/id-key.js";
import type { Entity } from "../../documents/entity-types.js";
import type { LoadedBodies } from "../../loading/request-documents.js";
import type { SessionState } from "../../session/session-state.js";
import { keysIn } from "../overlay.js";

export class KeptTimes {
  /** By the keys of ids. */
  readonly #times = new WeakMap<SessionState, Map<string, number>>();

  /** The documents come from the device. */
  add(state: SessionState, times: ReadonlyMap<string, number>): void {
    const known = this.#times.get(state) ?? new Map<string, number>();
    for (const [key, time] of times) known.set(key, time);
    this.#times.set(state, known);
  }

  /** The documents come from the server. */
  remove(state: SessionState, response: LoadedBodies): void {
    const known = this.#times.get(state);
    if (known) for (const key of keysIn(response)) known.delete(key);
  }

  /** When a document of a session was kept; `null` if it comes from the server. */
  of(state: SessionState, entity: object): Date | null {
    // An untracked entity shows its id.
    const id = state.unitOfWork.idOf(entity) ?? (entity as Entity)["@metadata"]?.["@id"];
    const time = this.#times.get(state)?.get(idKey(id ?? ""));
    return time === undefined ? null : new Date(time);
  }
}
