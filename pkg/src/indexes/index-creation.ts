// Several indexes at once.

import type { DocumentConventions } from "../store/conventions.js";
import type { DocumentStore } from "../store/store-types.js";
import type { IndexDefinition } from "./definition.js";
import { definitionsOf, send } from "./deploy.js";
import type { AbstractIndexCreationTaskBase } from "./index-tasks.js";

/** Several indexes at once. */
// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexCreation {
  /** One request; if the server refuses it, one index after the other, up to the one that cannot be deployed. */
  static async createIndexes(
    indexes: AbstractIndexCreationTaskBase[],
    store: DocumentStore,
    conventions?: DocumentConventions,
  ): Promise<void> {
    try {
      await send(indexes, store, conventions, undefined);
    } catch {
      // The error is that of the index that cannot be deployed; those before it are.
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
