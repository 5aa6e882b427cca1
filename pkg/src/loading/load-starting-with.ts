// Loads documents by the prefix of their ids.

import { optionsOf } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { Entity } from "../documents/entity-types.js";
import type { SessionLoadStartingWithOptions, StartingWithOptions } from "../session/advanced-options.js";
import type { SessionState } from "../session/session-state.js";
import { query } from "../wire/query-string.js";
import { fetchByIds } from "./track-documents.js";

/** The query of a request by prefix: for all documents, if the app gives no `pageSize`. */
export function listing(
  startsWith: unknown,
  { matches, exclude, start, pageSize, startAfter }: StartingWithOptions = {},
): string {
  if (typeof startsWith !== "string") fail("InvalidArgument", "loadStartingWith takes the beginning of ids");
  return query(Object.entries({ startsWith, matches, exclude, start, pageSize, startAfter }));
}

/** Leaves out entities for whose ids `load` returns `null`: documents that are to be deleted, or that did not exist before. */
export function loadable({ unitOfWork }: SessionState, entities: (Entity | null)[]): Entity[] {
  return entities.filter(
    (entity): entity is Entity => !!entity && !unitOfWork.isAbsent(idKey(unitOfWork.idOf(entity) ?? "")),
  );
}

export async function loadStartingWith(
  state: SessionState,
  prefix: string,
  given?: SessionLoadStartingWithOptions,
): Promise<Entity[]> {
  const options = optionsOf<SessionLoadStartingWithOptions>(given);
  const type = state.conventions.classOf(options.documentType);
  const { entities } = await fetchByIds(state, listing(prefix, options), { type });
  return loadable(state, entities);
}
