// Metadata as entities show them: what the server says of a document beside what the app has put there.

/** The metadata of an entity, as a living object. */
export function metadata(unit, slot) {
  const entity = unit.tracker.at(slot);
  const { stamps } = unit.tracker;
  const [collection] = stamps.kindOf(slot);
  const shown = entity["@metadata"];
  const metadata = shown && !Object.isFrozen(shown) ? shown : { ...shown };
  if (collection) metadata["@collection"] ??= collection;
  if (stamps.modified(slot)) stamp(metadata, unit.tracker, slot);
  if (metadata !== shown) Reflect.set(entity, "@metadata", metadata);
  return metadata;
}

/** After a save: metadata that were shown before show what the server says now. */
export function restamp({ tracker }, slots) {
  for (const slot of slots) {
    const metadata = tracker.at(slot)?.["@metadata"];
    if (metadata?.["@change-vector"] !== undefined) stamp(metadata, tracker, slot);
  }
}

function stamp(metadata, tracker, slot) {
  const said = {
    "@id": tracker.idAt(slot),
    "@change-vector": tracker.stamps.vector(slot),
    "@last-modified": tracker.stamps.modified(slot),
  };
  // Frozen ones stay as they are.
  for (const name in said) Reflect.set(metadata, name, said[name]);
}
