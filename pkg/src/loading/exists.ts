// Asks whether the server has a document, without loading it.

import type { SessionState } from "../session/session-state.js";

export async function exists(state: SessionState, id: string): Promise<boolean> {
  const route = `docs?id=${encodeURIComponent(id)}`;
  return (await state.ask({ method: "HEAD", route, safe: true })).status === 200;
}
