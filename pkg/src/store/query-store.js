// A store whose sessions query, and that deploys indexes.

import { fail } from "../common/error.js";
import { later } from "../runtime/load-part.js";
import { DocumentSession } from "../session/query-session.js";
import { StoreBase as Base } from "./store.js";

export class StoreBase extends Base {
  get Session() {
    return DocumentSession;
  }

  async ready(...tags) {
    // Without it queries have no text yet: they say so themselves.
    await Promise.all([super.ready(...tags), later("rql").catch(() => {})]);
  }

  // The classes of indexes bring the code: an app without indexes does not load it.

  async executeIndex(task, database) {
    this.assertInitialized();
    await task.execute(this, this.conventions, database);
  }

  async executeIndexes(tasks, database) {
    this.assertInitialized();
    const [task] = tasks;
    if (!task?.executeAll)
      fail("InvalidArgument", "executeIndexes takes instances of raven-edge's index classes");
    await task.executeAll(tasks, this, database);
  }
}
