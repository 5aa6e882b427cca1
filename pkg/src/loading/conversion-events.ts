// Conversions of documents to entities, with the events `beforeConversionToEntity` and `afterConversionToEntity`.

import { nameAttachments } from "../attachments/attachment-names.js";
import type { Entity, EntityType, ObjectTypeDescriptor, ServerDocument } from "../documents/entity-types.js";
import type { SessionState } from "../session/session-state.js";

/** A conversion whose `afterConversionToEntity` listeners have not run yet. */
export interface ConversionEvent {
  session: SessionState["session"];
  id: string;
  entity: Entity;
  document: ServerDocument;
}

/** Makes the entity of a document, or what `make` gives; adds to `events` what listeners get. */
export function convert(
  state: SessionState,
  document: ServerDocument,
  type: ObjectTypeDescriptor | undefined,
  events: ConversionEvent[],
  make: (document: ServerDocument) => Entity = (document) => state.mapper.entity(document, type),
): Entity {
  const { session } = state;
  const id = document["@metadata"]["@id"];
  if (state.hasListener("beforeConversionToEntity")) {
    nameAttachments(document["@metadata"]);
    const event = { session, id, type: type as EntityType | undefined, document };
    state.emit("beforeConversionToEntity", event);
    document = event.document;
  }
  const entity = make(document);
  if (state.hasListener("afterConversionToEntity")) events.push({ session, id, entity, document });
  return entity;
}
