// Attachments in sessions, which are loaded when they are first used: the body of a save that stores some, and what it has made of them.

import type { SendBatch } from "../capabilities/session-part.js";
import { fail } from "../common/error.js";
import { metadata } from "../documents/metadata.js";
import type { Batch } from "../saving/batch.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";
import { PutAttachmentCommandData } from "./attachment-commands.js";
import { uploadOf } from "./upload.js";

/** Sends a batch with commands about attachments. `send` sends its body, by default its text. */
export async function send(
  _: SessionState,
  { cluster, body, commands }: Batch,
  send: SendBatch,
): Promise<string> {
  if (cluster) fail("InvalidOperation", "a cluster-wide transaction takes no attachments");
  const upload = uploadOf(
    body,
    commands.filter((command) => command instanceof PutAttachmentCommandData),
  );
  try {
    return await send(upload);
  } catch (error) {
    // A stream of the app has failed: the request has no end, so nothing of it was carried out.
    throw upload?.failure ?? error;
  }
}

/** What the server reports of a command about an attachment. */
interface AttachmentCommandResult extends CommandResult {
  Name?: string;
  Hash?: string;
  ContentType?: string;
  Size?: number;
  /** The vector of the document after the whole batch; absent if the document does not exist. */
  DocumentChangeVector?: string;
  /** Of an attachment that was moved. */
  DestinationId?: string;
  DestinationName?: string;
  DestinationDocumentChangeVector?: string;
}

/** An attachment in metadata. */
interface Listed {
  name?: string | undefined;
}

export function show(state: SessionState, result: AttachmentCommandResult): void {
  const { Type, Id, "@id": id = Id ?? "", Name, Hash: hash, ContentType: contentType, Size: size } = result;
  const { DocumentChangeVector: vector, DestinationId, DestinationName } = result;
  const added = { changeVector: result.ChangeVector, hash, contentType, size };
  if (Type === "AttachmentDELETE") change(state, id, vector, Name);
  else if (Type === "AttachmentMOVE") {
    change(state, id, vector, Name);
    const moved = result.DestinationDocumentChangeVector ?? vector;
    change(state, DestinationId ?? id, moved, DestinationName, { name: DestinationName, ...added });
  } else change(state, id, vector, Name, { name: Name, ...added });
}

/** Removes an attachment from the metadata of a document of the session, and adds the new one. */
function change(
  state: SessionState,
  id: string,
  vector: string | undefined,
  name: string | undefined,
  added?: Listed,
): void {
  const { unitOfWork } = state;
  const slot = unitOfWork.slot(id);
  if (slot < 0 || !vector) return;
  unitOfWork.storedVector(slot, vector);
  const shown = metadata(state, slot);
  const others = ((shown["@attachments"] ?? []) as Listed[]).filter((each) => each.name !== name);
  Reflect.set(shown, "@attachments", added ? [...others, added] : others);
}

export { of } from "./session-attachments.js";
export { uploadOf } from "./upload.js";
