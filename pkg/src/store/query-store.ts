// A store whose sessions query, and that deploys indexes.

import { fail } from "../common/error.js";
import type { AbstractIndexCreationTaskBase } from "../indexes/index-tasks.js";
import type { Definitions, Names } from "../named/named-definitions.js";
import { loadedPart, loadPart } from "../runtime/load-part.js";
import { DocumentSession } from "../session/query-session.js";
import { StoreBase } from "./store.js";
import type { DocumentStore } from "./store-types.js";

export class QueryStore extends StoreBase implements Pick<DocumentStore, "executeIndex" | "executeIndexes"> {
  override get Session(): typeof DocumentSession {
    return DocumentSession;
  }

  override async ready(...tags: string[]): Promise<void> {
    // If it cannot be loaded, the methods that need it report it.
    await Promise.all([super.ready(...tags), loadPart("rql").catch(() => {})]);
  }

  override of(database?: string | null): this {
    return Object.assign(super.of(database), { definitions: this.definitions });
  }

  named(names: Names, claims?: Definitions["claims"]): this {
    this.definitions = { names, claims };
    loadedPart("named")?.checkDefinitions(this.definitions);
    return this;
  }

  // The classes of indexes contain the code that deploys them: an app without indexes does not load it.

  async executeIndex(task: AbstractIndexCreationTaskBase, database?: string): Promise<void> {
    this.assertInitialized();
    await task.execute(this as this & DocumentStore, this.conventions, database);
  }

  async executeIndexes(tasks: AbstractIndexCreationTaskBase[], database?: string): Promise<void> {
    this.assertInitialized();
    const [task] = tasks;
    if (!task?.executeAll)
      fail("InvalidArgument", "executeIndexes takes instances of raven-edge's index classes");
    await task.executeAll(tasks, this as this & DocumentStore, database);
  }
}
