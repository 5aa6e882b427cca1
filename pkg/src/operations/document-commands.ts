// Requests about documents that are no part of a session. Names and results are those of npm `ravendb`.

import { isObject, isText, withoutNulls } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { SERVERS } from "../documents/snapshots.js";
import type { DocumentConventions } from "../store/conventions.js";
import { byIds, query } from "../wire/query-string.js";
import type { CommandRequest, CommandResponse, RavenCommand } from "./command.js";

function assertId(id: unknown): asserts id is string {
  if (!isText(id)) fail("InvalidArgument", "the command needs an id");
}

/** What {@link PutDocumentCommand} came to. */
export interface PutResult {
  /** The final id, also of one that the server made. */
  id: string;
  changeVector: string;
}

/**
 * Writes a document (`PUT docs`).
 *
 * ```ts
 * const command = new PutDocumentCommand("companies/", null, { name: "Acme", "@metadata": { "@collection": "Companies" } });
 * await store.getRequestExecutor().execute(command);
 * command.result.id;   // companies/0000000000000000027-A
 * ```
 */
export class PutDocumentCommand implements RavenCommand<PutResult> {
  result: PutResult = null as never;
  #id: string;
  #changeVector: string | undefined;
  #document: Record<string, unknown>;

  /**
   * @param id May end with `/` or the pipe: then the server makes it.
   * @param changeVector What has to be there: `null`: anything; `""`: nothing, the document must not exist.
   * @param document With its `@metadata`; what the server says in it (`@id`, `@change-vector`, …) is left out.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank id or no document; when executed: `Concurrency`, ….
   */
  constructor(id: string, changeVector: string | null | undefined, document: object) {
    assertId(id);
    if (!isObject(document)) fail("InvalidArgument", "the command needs a document");
    this.#id = id;
    this.#changeVector = changeVector ?? undefined;
    this.#document = document;
  }

  get request(): CommandRequest {
    const { "@metadata": metadata = {}, ...rest } = this.#document;
    // What the server makes would be stored as if it were the app's, and come back twice.
    const own = Object.fromEntries(
      Object.entries(metadata as object).filter(
        ([name]) => name === "@collection" || !(SERVERS as ReadonlySet<string>).has(name),
      ),
    );
    return {
      method: "PUT",
      route: `docs?id=${encodeURIComponent(this.#id)}`,
      ifMatch: this.#changeVector,
      body: { ...rest, "@metadata": own },
    };
  }

  /** @internal */
  settle({ text }: CommandResponse): void {
    const { Id: id, ChangeVector: changeVector } = JSON.parse(text) as { Id: string; ChangeVector: string };
    this.result = { id, changeVector };
  }
}

/** Deletes a document (`DELETE docs`), whether there is one or not. */
export class DeleteDocumentCommand implements RavenCommand<null> {
  result = null;
  #id: string;
  #changeVector: string | undefined;

  /** @param changeVector What has to be there; default: anything. */
  constructor(id: string, changeVector?: string | null) {
    assertId(id);
    this.#id = id;
    this.#changeVector = changeVector ?? undefined;
  }

  get request(): CommandRequest {
    return {
      method: "DELETE",
      route: `docs?id=${encodeURIComponent(this.#id)}`,
      ifMatch: this.#changeVector,
    };
  }

  /** @internal */
  settle({ status }: CommandResponse): void {
    // RavenDB answers 204 whether there was a document or not.
    if (status !== 204) throw new SyntaxError(`status ${status}`);
  }
}

/** The change vector of a document (`HEAD docs`), `null` when there is none. */
export class HeadDocumentCommand implements RavenCommand<string | null> {
  result: string | null = null;
  #id: string;

  constructor(id: string) {
    assertId(id);
    this.#id = id;
  }

  get request(): CommandRequest {
    return { method: "HEAD", route: `docs?id=${encodeURIComponent(this.#id)}`, safe: true };
  }

  /** @internal */
  settle({ status, text }: CommandResponse): void {
    this.result = status === 404 ? null : text.replace(/^"|"$/g, "");
  }
}

/** What {@link GetDocumentsCommand} is to read: one id, several, or all that begin alike. */
export interface GetDocumentsCommandOptions {
  id?: string | undefined;
  ids?: string[] | undefined;
  /** Paths to ids of documents that come along. */
  includes?: string[] | undefined;
  /** Only the `@metadata` of each; default `false`. */
  metadataOnly?: boolean | undefined;
  startsWith?: string | undefined;
  /** As in {@link StartingWithOptions}. */
  matches?: string | undefined;
  exclude?: string | undefined;
  startAfter?: string | undefined;
  start?: number | undefined;
  pageSize?: number | undefined;
  /** Taken because npm `ravendb` wants it; not needed. */
  conventions?: DocumentConventions | undefined;
}

/** What {@link GetDocumentsCommand} came to. */
export interface GetDocumentsResult {
  /** The documents as they are stored, in the order of the ids; `null` where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of any mapper, as in npm `ravendb`
  results: any[];
  /** What was included, by id. */
  includes: Record<string, unknown>;
}

/** Reads documents as they are stored, past any session (`GET docs`). */
export class GetDocumentsCommand implements RavenCommand<GetDocumentsResult> {
  /** `null` when there is no document of a single id. */
  result: GetDocumentsResult = null as never;
  #options: Partial<GetDocumentsCommandOptions>;

  /** @throws {RavenEdgeError} `InvalidArgument` when the options say nothing to read. */
  constructor(options: GetDocumentsCommandOptions) {
    const { id, ids, startsWith, start, pageSize } = withoutNulls(options);
    if (
      id === undefined &&
      !ids?.length &&
      startsWith === undefined &&
      start === undefined &&
      pageSize === undefined
    )
      fail("InvalidArgument", "GetDocumentsCommand needs an id, ids, startsWith, or start and pageSize");
    this.#options = withoutNulls(options);
  }

  get request(): CommandRequest {
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
    const included = includes.map((path) => ["include", path] as const);
    const request = byIds(query([...Object.entries(named), ...included]), ids);
    return request.body ? { ...request, method: "POST", safe: true } : request;
  }

  /** @internal */
  settle({ text }: CommandResponse): void {
    if (!text) return;
    const { Results: results, Includes: includes = {} } = JSON.parse(text) as {
      Results: unknown[];
      Includes?: Record<string, unknown>;
    };
    this.result = { includes, results };
  }
}
