// Attachments, counters and time series of an entity, as its metadata list them.

import type { AttachmentName } from "../attachments/attachment-types.js";
import type { ErrorCode } from "../common/error.js";
import type { Entity } from "./entity-types.js";

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

/** What has entities: a session. */
interface EntitySlots {
  /** The slot of an entity; throws for another object. */
  slot(entity: unknown, code?: ErrorCode): number;
  readonly unitOfWork: { at(slot: number): Entity };
}

export function attachmentNames(state: EntitySlots, entity: unknown): AttachmentName[] {
  return ((entity && listed(state, entity, "@attachments", "InvalidArgument")) || []) as AttachmentName[];
}

/** A member of the metadata of an entity of the session; `undefined`: the document has none. `code`: of the error for other objects. */
export function listed(
  state: EntitySlots,
  entity: unknown,
  member: "@attachments" | "@counters" | "@timeseries",
  code?: ErrorCode,
): unknown[] | undefined {
  return state.unitOfWork.at(state.slot(entity, code))["@metadata"]?.[member] as unknown[] | undefined;
}
