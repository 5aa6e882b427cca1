// Sends the definitions of indexes.

import type { DocumentConventions } from "../store/conventions.js";
import type { DocumentStore } from "../store/store-types.js";
import type { IndexDefinition } from "./definition.js";
import { PutIndexesOperation } from "./index-operations.js";
import type { AbstractIndexCreationTaskBase } from "./index-tasks.js";

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
  store: DocumentStore,
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
