// Metadata of revisions, which sessions do not track.

import type { Entity, IMetadataDictionary } from "../documents/entity-types.js";

/** The metadata of a revision; `undefined` for other entities. */
export function revisionMetadata(entity: object): IMetadataDictionary | undefined {
  const shown = (entity as Entity | null)?.["@metadata"];
  return /Revision\b/.test(String(shown?.["@flags"])) ? shown : undefined;
}
