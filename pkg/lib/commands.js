// Requests about single documents, outside of any unit of work. Names and results are those of npm `ravendb`.

import { SERVERS } from "../hot/snapshots.js";
import { fail } from "./error.js";
import { isObject, isText, said } from "./given.js";
import { byIds, query } from "./listing.js";

/** `execute` sends what `request` says and `read` makes the result of the answer. */
class Command {
  result = null;

  /** What came back. */
  settle(answer) {
    this.result = this.read(answer);
  }
}

function assertId(id) {
  if (!isText(id)) fail("InvalidArgument", "the command needs an id");
}

export class PutDocumentCommand extends Command {
  #id;
  #changeVector;
  #document;

  constructor(id, changeVector, document) {
    super();
    assertId(id);
    if (!isObject(document)) fail("InvalidArgument", "the command needs a document");
    this.#id = id;
    this.#changeVector = changeVector ?? undefined;
    this.#document = document;
  }

  get request() {
    const { "@metadata": metadata = {}, ...rest } = this.#document;
    // What the server makes would be stored as if it were the app's, and come back twice.
    const own = Object.fromEntries(
      Object.entries(metadata).filter(([name]) => name === "@collection" || !SERVERS.has(name)),
    );
    return {
      method: "PUT",
      route: `docs?id=${encodeURIComponent(this.#id)}`,
      ifMatch: this.#changeVector,
      body: { ...rest, "@metadata": own },
    };
  }

  read({ text }) {
    const { Id: id, ChangeVector: changeVector } = JSON.parse(text);
    return { id, changeVector };
  }
}

export class DeleteDocumentCommand extends Command {
  #id;
  #changeVector;

  constructor(id, changeVector) {
    super();
    assertId(id);
    this.#id = id;
    this.#changeVector = changeVector ?? undefined;
  }

  get request() {
    return {
      method: "DELETE",
      route: `docs?id=${encodeURIComponent(this.#id)}`,
      ifMatch: this.#changeVector,
    };
  }

  read({ status }) {
    // RavenDB says so whatever was there.
    if (status !== 204) throw new SyntaxError(`status ${status}`);
    return null;
  }
}

export class HeadDocumentCommand extends Command {
  #id;

  constructor(id) {
    super();
    assertId(id);
    this.#id = id;
  }

  get request() {
    return { method: "HEAD", route: `docs?id=${encodeURIComponent(this.#id)}`, safe: true };
  }

  read({ status, text }) {
    return status === 404 ? null : text.replace(/^"|"$/g, "");
  }
}

export class GetDocumentsCommand extends Command {
  #options;

  constructor(options) {
    super();
    const { id, ids, startsWith, start, pageSize } = said(options);
    if (
      id === undefined &&
      !ids?.length &&
      startsWith === undefined &&
      start === undefined &&
      pageSize === undefined
    )
      fail("InvalidArgument", "GetDocumentsCommand needs an id, ids, startsWith, or start and pageSize");
    this.#options = said(options);
  }

  get request() {
    const { id, ids = id === undefined ? [] : [id], includes = [], metadataOnly } = this.#options;
    const { startsWith, matches, exclude, startAfter, start, pageSize } = this.#options;
    const named = {
      startsWith,
      matches,
      exclude,
      startAfter,
      start,
      pageSize,
      metadataOnly: metadataOnly || undefined,
    };
    const parameters = [...Object.entries(named), ...includes.map((path) => ["include", path])];
    const request = byIds(query(parameters), ids);
    return request.body ? { ...request, method: "POST", safe: true } : request;
  }

  read({ text }) {
    if (!text) return null;
    const { Results: results, Includes: includes = {} } = JSON.parse(text);
    return { includes, results };
  }
}
