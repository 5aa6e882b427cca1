// The attachments in the metadata of an entity.

import { listed } from "../documents/listed-names.js";
import type { SessionState } from "../session/session-state.js";
import type { AttachmentName } from "./attachment-types.js";

/** As RavenDB writes them. */
type Listed = { [Name in keyof AttachmentName as Capitalize<Name>]: AttachmentName[Name] };

export function attachmentNames(state: SessionState, entity: unknown): AttachmentName[] {
  const all = entity && listed(state, entity, "@attachments", "InvalidArgument");
  return ((all || []) as Listed[]).map(({ Name, Hash, ContentType, Size }) => ({
    name: Name,
    hash: Hash,
    contentType: ContentType,
    size: Size,
  }));
}
