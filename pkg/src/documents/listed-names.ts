// What the server lists in the metadata of a document: its attachments, counters and time series.

import type { ErrorCode } from "../common/error.js";
import type { SessionState } from "../session/session-state.js";

/** A member of the metadata of an entity of the session; `undefined`: the document has none. `code`: of the error for other objects. */
export function listed(
  state: SessionState,
  entity: unknown,
  member: "@attachments" | "@counters" | "@timeseries",
  code?: ErrorCode,
): unknown[] | undefined {
  return state.unitOfWork.at(state.slot(entity, code))["@metadata"]?.[member] as unknown[] | undefined;
}
