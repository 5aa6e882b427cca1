// Deploys several indexes.

import type { DocumentConventions } from "../store/conventions.js";
import type { DocumentStore } from "../store/store-types.js";
import type { IndexDefinition } from "./definition.js";
import { definitionsOf, send } from "./deploy.js";
import type { AbstractIndexCreationTaskBase } from "./index-tasks.js";

/** Deploys several indexes. */
// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexCreation {
  /** Sends one request. If the server refuses it, deploys the indexes one by one, up to the one that is refused. */
  static async createIndexes(
    indexes: AbstractIndexCreationTaskBase[],
    store: DocumentStore,
    conventions?: DocumentConventions,
  ): Promise<void> {
    try {
      await send(indexes, store, conventions, undefined);
    } catch {
      // Indexes before the refused one are deployed; the error is about the refused one.
      for (const index of indexes) await index.execute(store, conventions);
    }
  }

  static createIndexesToAdd(
    indexCreationTasks: AbstractIndexCreationTaskBase[],
    conventions: DocumentConventions,
  ): IndexDefinition[] {
    return definitionsOf(indexCreationTasks, conventions);
  }
}
