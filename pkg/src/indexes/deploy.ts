// Sends the definitions of indexes.

import type { MaintenanceOperationExecutor } from "../operations/operation-types.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { IndexDefinition } from "./definition.js";
import { PutIndexesOperation } from "./index-operations.js";
import type { AbstractIndexCreationTaskBase } from "./index-tasks.js";

/** A store that gets definitions. */
export interface IndexStore {
  readonly conventions: DocumentConventions;
  readonly database: string;
  readonly maintenance: MaintenanceOperationExecutor;
}

/** Defaults of a definition's members. */
type Defaults = Partial<IndexDefinition>;

/** Defaults for definitions that are sent together. */
const NORMAL: Defaults = { priority: "Normal", state: "Normal" };

/**
 * Sends the definitions of indexes in one request.
 * @internal
 */
export async function send(
  tasks: AbstractIndexCreationTaskBase[],
  store: IndexStore,
  conventions: DocumentConventions | undefined,
  database: string | undefined,
  defaults = NORMAL,
): Promise<void> {
  const definitions = definitionsOf(tasks, conventions ?? store.conventions, defaults);
  await store.maintenance
    .forDatabase(database ?? store.database)
    .send(new PutIndexesOperation(...definitions));
}

/**
 * The definitions of indexes under the conventions of a store.
 * @internal
 */
export function definitionsOf(
  tasks: AbstractIndexCreationTaskBase[],
  conventions: DocumentConventions,
  defaults = NORMAL,
): IndexDefinition[] {
  return tasks.map((task) => definitionUnder(task, conventions, defaults));
}

function definitionUnder(
  task: AbstractIndexCreationTaskBase,
  conventions: DocumentConventions,
  defaults: Defaults,
): IndexDefinition {
  const before = task.conventions;
  try {
    task.conventions = conventions;
    const definition = task.createIndexDefinition();
    definition.name = task.getIndexName();
    for (const name of [
      "lockMode",
      "priority",
      "state",
      "archivedDataProcessingBehavior",
      "deploymentMode",
    ] as const) {
      const value = task[name] || defaults[name];
      if (value) definition[name] = value as never;
    }
    return definition;
  } finally {
    task.conventions = before;
  }
}

/** Deploys several indexes. */
// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexCreation {
  /** Sends one request. If the server refuses it, deploys the indexes one by one, up to the one that is refused. */
  static async createIndexes(
    indexes: AbstractIndexCreationTaskBase[],
    store: IndexStore,
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
