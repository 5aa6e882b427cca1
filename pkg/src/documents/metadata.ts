// Metadata as apps see them, with the members of the server and those of the app.

import type { Kind } from "./document-versions.js";
import type { Entity, IMetadataDictionary } from "./entity-types.js";
import { CLASS, NESTED } from "./snapshots/snapshot-values.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** The metadata object of an entity. Changes that the app makes in it are saved. */
export function metadata(unitOfWork: UnitOfWork, slot: number): IMetadataDictionary {
  const entity = unitOfWork.at(slot);
  const { versions, snapshots } = unitOfWork;
  const [collection, name] = versions.kindOf(slot) as Kind;
  const shown = entity["@metadata"];
  const metadata: IMetadataDictionary = shown && !Object.isFrozen(shown) ? shown : { ...shown };
  if (collection) metadata["@collection"] ??= collection;
  if (versions.modified(slot)) {
    const notes = snapshots.notes(slot);
    const reported: Record<string, unknown> = {
      "@id": unitOfWork.idAt(slot),
      "@change-vector": versions.vector(slot),
      "@last-modified": versions.modified(slot),
      ...(notes && { [NESTED]: notes }),
    };
    // `Reflect.set` does not throw if the app has sealed the object.
    for (const key in reported) Reflect.set(metadata, key, reported[key]);
  }
  if (metadata !== shown) Reflect.set(entity, "@metadata", metadata);
  if (name && metadata[CLASS] === undefined) {
    metadata[CLASS] = name;
    // The class was sent with the document, so this is not a change. A frozen entity does not keep its metadata.
    if (entity["@metadata"] === metadata) unitOfWork.savedClass(slot, name);
  }
  return metadata;
}

/** Updates the metadata objects that the app has seen, after a save. */
export function updateMetadata(unitOfWork: UnitOfWork, slots: readonly number[]): void {
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number;
    const shown = unitOfWork.at(slot)?.["@metadata"];
    // Frozen objects are not updated.
    if (shown?.["@change-vector"] === undefined || Object.isFrozen(shown)) continue;
    // The document may contain other classes of values now, and RavenDB's spelling of the collection replaces the app's.
    for (const name of [NESTED, "@collection"]) Reflect.deleteProperty(shown, name);
    metadata(unitOfWork, slot);
  }
}

/** The metadata of a revision; `undefined` for other entities. */
export function revisionMetadata(entity: object): IMetadataDictionary | undefined {
  const shown = (entity as Entity | null)?.["@metadata"];
  return /Revision\b/.test(String(shown?.["@flags"])) ? shown : undefined;
}
