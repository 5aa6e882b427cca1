// Metadata as entities show them: what the server says of a document beside what the app has put there.

import type { SessionState } from "../session/session-state.js";
import type { Kind } from "./document-versions.js";
import type { IMetadataDictionary } from "./entity-types.js";
import { CLASS, NESTED } from "./snapshot-values.js";

/** The metadata of an entity, as a living object. */
export function metadata({ tracker }: SessionState, slot: number): IMetadataDictionary {
  const entity = tracker.at(slot);
  const { stamps, snapshots } = tracker;
  const [collection, name] = stamps.kindOf(slot) as Kind;
  const shown = entity["@metadata"];
  const metadata: IMetadataDictionary = shown && !Object.isFrozen(shown) ? shown : { ...shown };
  if (collection) metadata["@collection"] ??= collection;
  if (stamps.modified(slot)) {
    const notes = snapshots.notes(slot);
    const said: Record<string, unknown> = {
      "@id": tracker.idAt(slot),
      "@change-vector": stamps.vector(slot),
      "@last-modified": stamps.modified(slot),
      ...(notes && { [NESTED]: notes }),
    };
    // What the app has sealed stays as it is.
    for (const key in said) Reflect.set(metadata, key, said[key]);
  }
  if (metadata !== shown) Reflect.set(entity, "@metadata", metadata);
  if (name && metadata[CLASS] === undefined) {
    metadata[CLASS] = name;
    // It was sent with the document, and is no change; a frozen entity does not keep its metadata.
    if (entity["@metadata"] === metadata) snapshots.note(slot, CLASS, name);
  }
  return metadata;
}

/** After a save: metadata that were shown before show what the server says now. */
export function restamp(state: SessionState, slots: Iterable<number>): void {
  for (const slot of slots) {
    const shown = state.tracker.at(slot)?.["@metadata"];
    // Frozen ones stay as they are.
    if (shown?.["@change-vector"] === undefined || Object.isFrozen(shown)) continue;
    // Notes of values that the document has no longer, and how the app wrote the collection.
    for (const name of [NESTED, "@collection"]) Reflect.deleteProperty(shown, name);
    metadata(state, slot);
  }
}
