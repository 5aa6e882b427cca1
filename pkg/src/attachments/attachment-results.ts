// Shows in the session what a save has made of attachments: each changes the change vector of its document.

import { metadata } from "../documents/metadata.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";

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
  unitOfWork.savedVector(slot, vector);
  const shown = metadata(state, slot);
  const others = ((shown["@attachments"] ?? []) as Listed[]).filter((each) => each.name !== name);
  Reflect.set(shown, "@attachments", added ? [...others, added] : others);
}
