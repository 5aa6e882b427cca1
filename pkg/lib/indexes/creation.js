// Several indexes at once.

import { definitionsOf, send } from "./task.js";

// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexCreation {
  /** Deploys indexes in one request; if the server refuses that, one after the other. */
  static async createIndexes(indexes, store, conventions) {
    try {
      await send(indexes, store, conventions);
    } catch {
      // The error is that of the index that cannot be deployed; those before it are.
      for (const index of indexes) await index.execute(store, conventions);
    }
  }

  static createIndexesToAdd(indexCreationTasks, conventions) {
    return definitionsOf(indexCreationTasks, conventions);
  }
}
