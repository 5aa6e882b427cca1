// What a browser that is offline asks before it sends a save.

import { PREFIX_HILO, SAVE_UNSENT } from "../../gen/protocol.js";
import type { SessionState } from "../session/session-state.js";
import type { SaveError } from "./fail.js";

/**
 * A browser reports the same error if a request could not be sent and if its response was lost. If the browser says that it is offline
 * (although a server on this machine may be reachable), a read is sent before the save. If the read reaches no server, the save is not sent,
 * and the error says so.
 */
export async function assertReachable(session: SessionState): Promise<void> {
  if (globalThis.navigator?.onLine !== false) return;
  await session.ask({ route: `docs?id=${PREFIX_HILO}` }).catch((error: SaveError) => {
    if (!error.outage) return;
    error.unsent = true;
    error.failure = SAVE_UNSENT;
    throw error;
  });
}
