// Translates the failure of a request of the queue into what the core takes: words of events, and outcomes.

import {
  OUTCOME_AGAIN,
  OUTCOME_CONFLICT,
  OUTCOME_RECEIPT_CONFLICT,
  OUTCOME_REFUSED,
  QUEUED_NOT_SIGNED_IN,
  QUEUED_SHARDED,
} from "../../../gen/protocol.js";
import type { RavenEdgeError } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import { outcomeOf } from "../device/queue-core.js";
import type { StoredError } from "../device/records.js";
import type { BatchOutcome, Member } from "./send-batch.js";

/** The event for a read that failed; `undefined` if it may succeed later. */
export function failedRead(thrown: unknown): { words: number[]; facts?: { error: StoredError } } | undefined {
  const { code, message, status } = Object(thrown) as RavenEdgeError;
  if (status === 401) return { words: [QUEUED_NOT_SIGNED_IN] };
  return code === "Unsupported"
    ? { words: [QUEUED_SHARDED], facts: { error: { code, message } } }
    : undefined;
}

/** For a read that failed: `undefined` if the server refuses it for good, as the gateway does for what the user may not read. */
export function ifRefused(thrown: unknown): undefined {
  const { status, type } = Object(thrown) as RavenEdgeError;
  if (!status || outcomeOf(status, type ?? "") !== OUTCOME_REFUSED) throw thrown;
}

/** Whether RavenDB or its gateway has responded: a proxy states no type, and the gateway states whether it has not reached RavenDB. */
export const isOfServer = (error: StoredError | undefined): boolean =>
  !!error?.type && !error.type.startsWith("RavenEdge.Gateway.Upstream");

/** The outcome of a batch that this device cannot send. */
export function unsendable(thrown: unknown): BatchOutcome {
  const { code, message } = Object(thrown) as Partial<RavenEdgeError>;
  const error: StoredError = {
    // Exceptions of the platform have numbers, or none.
    code: typeof code === "string" ? code : "InvalidOperation",
    message: `it cannot be sent: ${message ?? thrown}`,
  };
  return { outcome: OUTCOME_REFUSED, isUnsent: true, error };
}

/** The outcome of a batch that failed. */
export function failed(thrown: unknown, receipt: string, members: readonly Member[]): BatchOutcome {
  // Recognized by its members: a page may have several entries of the package, each with its own class of errors.
  const { code, message, type, status, id } = Object(thrown) as RavenEdgeError;
  const error: StoredError = { code, message, type, status };
  // Without a response it is unknown whether the batch has arrived.
  if (!status) return { outcome: OUTCOME_AGAIN };
  const outcome = outcomeOf(status, type ?? "");
  if (outcome !== OUTCOME_CONFLICT || !id) return { outcome, document: id || undefined, error };
  if (idKey(id) === idKey(receipt)) return { outcome: OUTCOME_RECEIPT_CONFLICT, document: id, error };
  return { outcome, document: id, error: { ...error, id, message: conflictMessage(id, members) } };
}

/** The message of a conflict, for apps: that of the server says only which version the server expected. */
function conflictMessage(id: string, members: readonly Member[]): string {
  const commands = members.flatMap(({ record }) => record.commands);
  const isNew = commands.find(({ key }) => key === idKey(id))?.expects === "absent";
  const why = isNew ? "stored a document with this id" : "changed or deleted it since this device read it";
  return `${id} is in conflict: somebody else has ${why}; store.offline.conflicts() has what the user may read of it`;
}
