// Reads documents that the session may have: `refresh` gives entities the values that the server has now, `exists` only asks.

import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { classOf } from "../common/value-kinds.js";
import type { Entity, ServerDocument } from "../documents/entity-types.js";
import { put } from "../documents/snapshots/put-member.js";
import type { SessionState } from "../session/session-state.js";
import { read } from "./request-documents.js";
import { type ConversionEvent, convert } from "./track-documents.js";

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

/** Gives the entity in a slot the members of a document, and removes others. `literals`: its numbers that JavaScript cannot hold. */
export function revise(
  state: SessionState,
  slot: number,
  document: ServerDocument,
  literals?: string[],
): void {
  const { unitOfWork } = state;
  const entity: Entity = unitOfWork.at(slot);
  const events: ConversionEvent[] = [];
  const fresh = convert(state, document, classOf(entity), events);
  const identity = state.mapper.identityOf(entity);
  if (identity && identity in fresh) fresh[identity] = unitOfWork.idAt(slot);
  for (const key of Object.keys(entity)) if (!Object.hasOwn(fresh, key)) Reflect.deleteProperty(entity, key);
  // A frozen entity stays as it is: throwing would not undo what the server did.
  for (const [key, value] of Object.entries(fresh)) put(entity, key, value);
  unitOfWork.loadedAgain(slot, document["@metadata"], literals);
  for (const event of events) state.emit("afterConversionToEntity", { ...event, entity });
}

export async function exists(state: SessionState, id: string): Promise<boolean> {
  const route = `docs?id=${encodeURIComponent(id)}`;
  return (await state.ask({ method: "HEAD", route, safe: true })).status === 200;
}
