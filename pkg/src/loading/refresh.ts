// Reads entities again: they get the values that the server has now.

import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { ServerDocument } from "../documents/entity-types.js";
import type { SessionState } from "../session/session-state.js";
import { read } from "./request-documents.js";
import { revise } from "./update-entity.js";

/** `several`: whether the app gave a list. */
export async function refresh(state: SessionState, entities: unknown[], several: boolean): Promise<void> {
  const slots = entities.map((entity) => state.slot(entity, "InvalidArgument"));
  const ids = slots.map((slot) => state.unitOfWork.idAt(slot));
  if (ids.length === 0) return;
  const { documents: found, numbers } = await read(state, ids);
  const documents = new Map(found.map((document) => [idKey(document["@metadata"]["@id"]), document]));
  const absent = ids.filter((id) => !documents.has(id && idKey(id)));
  if (absent.length > 0)
    fail(
      several ? "InvalidArgument" : "InvalidOperation",
      `the document ${absent.join(", ")} does not exist: if it is new, save again; if it was deleted, evict the entity`,
    );
  slots.forEach((slot, at) => {
    // The app has evicted it meanwhile.
    if (state.unitOfWork.at(slot) === undefined) return;
    const document = documents.get(idKey(ids[at] as string)) as ServerDocument;
    revise(state, slot, document, numbers.get(document["@metadata"]["@id"]));
  });
}
