// Metadata as entities show them: what the server says of a document beside what the app has put there.

/** The metadata of an entity, as a living object. */
export function metadata(unit, slot) {
  const entity = unit.tracker.at(slot);
  const [vector, modified, collection] = unit.stamp(slot);
  const shown = entity["@metadata"];
  const metadata = shown && !Object.isFrozen(shown) ? shown : { ...shown };
  if (collection) metadata["@collection"] ??= collection;
  if (modified) stamp(metadata, unit.tracker.idAt(slot), vector, modified);
  if (metadata !== shown) Reflect.set(entity, "@metadata", metadata);
  return metadata;
}

/** After a save: metadata that were shown before show what the server says now. */
export function restamp(unit, slots) {
  const shown = slots.filter(
    (slot) => unit.tracker.at(slot)?.["@metadata"]?.["@change-vector"] !== undefined,
  );
  if (shown.length === 0) return;
  const stamps = JSON.parse(unit.enter((core) => core.stamps(shown)));
  shown.forEach((slot, at) => {
    const [vector, modified] = stamps[at];
    stamp(unit.tracker.at(slot)["@metadata"], unit.tracker.idAt(slot), vector, modified);
  });
}

function stamp(metadata, id, vector, modified) {
  const said = { "@id": id, "@change-vector": vector, "@last-modified": modified };
  // Frozen ones stay as they are.
  for (const name in said) Reflect.set(metadata, name, said[name]);
}
