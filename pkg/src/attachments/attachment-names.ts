// The attachments in the metadata of an entity.

import { listed } from "../documents/listed-names.js";
import type { SessionState } from "../session/session-state.js";
import type { AttachmentName } from "./attachment-types.js";

/** As RavenDB writes them. */
type Listed = { [Name in keyof AttachmentName as Capitalize<Name>]: AttachmentName[Name] };

/** Writes the members of attachments in metadata from the server as npm `ravendb` does: `name`, where RavenDB writes `Name`. */
export function nameAttachments(metadata: Record<string, unknown>): void {
  const listed = metadata["@attachments"] as Listed[] | undefined;
  if (listed?.[0]?.Name)
    metadata["@attachments"] = listed.map(
      ({ Name: name, Hash: hash, ContentType: contentType, Size: size, ...others }) => ({
        name,
        hash,
        contentType,
        size,
        ...others,
      }),
    );
}

export function attachmentNames(state: SessionState, entity: unknown): AttachmentName[] {
  return ((entity && listed(state, entity, "@attachments", "InvalidArgument")) || []) as AttachmentName[];
}
