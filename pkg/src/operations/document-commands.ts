// Commands about documents, independent of sessions. Names and results are those of npm `ravendb`.

import { AnyThis } from "../common/any-this.js";
import { checkNames, isObject, isText, withoutNulls } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { ServerDocument } from "../documents/entity-types.js";
import { nameAttachments } from "../documents/listed-names.js";
import { SERVERS } from "../documents/snapshots/snapshots.js";
import type { DocumentConventions } from "../store/conventions.js";
import { byIds } from "../wire/documents-request.js";
import { query } from "../wire/query-string.js";
import type { CommandRequest, CommandResponse, RavenCommand } from "./operation-types.js";

function assertId(id: unknown): asserts id is string {
  if (!isText(id)) fail("InvalidArgument", "the command needs an id");
}

/** The result of {@link PutDocumentCommand}. */
export interface PutResult {
  /** The final id, also if the server made it. */
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
export class PutDocumentCommand extends AnyThis implements RavenCommand<PutResult> {
  result: PutResult = null as never;
  #id: string;
  #changeVector: string | undefined;
  #document: Record<string, unknown>;

  /**
   * @param id If it ends with `/` or the pipe, the server completes it.
   * @param changeVector The expected change vector. `null`: any; `""`: the document must not exist.
   * @param document With its `@metadata`; members that the server writes (`@id`, `@change-vector`, …) are left out.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank id or no document; when executed: `Concurrency`, ….
   */
  constructor(id: string, changeVector: string | null | undefined, document: object) {
    super();
    assertId(id);
    if (!isObject(document)) fail("InvalidArgument", "the command needs a document");
    this.#id = id;
    this.#changeVector = changeVector ?? undefined;
    this.#document = document;
  }

  get request(): CommandRequest {
    const { "@metadata": metadata = {}, ...rest } = this.#document;
    // Members that the server writes would otherwise be stored as the app's, and returned twice.
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
export class DeleteDocumentCommand extends AnyThis implements RavenCommand<null> {
  result = null;
  declare readonly request: CommandRequest;

  /** @param changeVector The expected change vector; default: any. */
  constructor(id: string, changeVector?: string | null) {
    super();
    assertId(id);
    const route = `docs?id=${encodeURIComponent(id)}`;
    this.request = { method: "DELETE", route, ifMatch: changeVector ?? undefined };
  }

  /** @internal */
  settle({ status }: CommandResponse): void {
    // RavenDB responds with 204 whether the document existed or not.
    if (status !== 204) throw new SyntaxError(`status ${status}`);
  }
}

/** The change vector of a document (`HEAD docs`); `null` if it does not exist. */
export class HeadDocumentCommand extends AnyThis implements RavenCommand<string | null> {
  result: string | null = null;
  declare readonly request: CommandRequest;

  constructor(id: string) {
    super();
    assertId(id);
    this.request = { method: "HEAD", route: `docs?id=${encodeURIComponent(id)}`, safe: true };
  }

  /** @internal */
  settle({ status, text }: CommandResponse): void {
    if (status === 200 && !text) throw new SyntaxError("it has no ETag, which a proxy may remove");
    this.result = status === 404 ? null : text;
  }
}

/** What {@link GetDocumentsCommand} reads: one id, several ids, or all ids with a prefix. */
export interface GetDocumentsCommandOptions {
  id?: string | undefined;
  ids?: string[] | undefined;
  /** Paths to the ids of documents to include. */
  includes?: string[] | undefined;
  /** Whether only the `@metadata` of documents is read; default `false`. */
  metadataOnly?: boolean | undefined;
  startsWith?: string | undefined;
  /** As in {@link StartingWithOptions}, but for the name `startsAfter`. */
  matches?: string | undefined;
  exclude?: string | undefined;
  startsAfter?: string | undefined;
  start?: number | undefined;
  pageSize?: number | undefined;
  /** Not used; npm `ravendb` requires it. */
  conventions?: DocumentConventions | undefined;
}

const OPTIONS: readonly (keyof GetDocumentsCommandOptions)[] = [
  "id",
  "ids",
  "includes",
  "metadataOnly",
  "startsWith",
  "matches",
  "exclude",
  "startsAfter",
  "start",
  "pageSize",
  "conventions",
];

/** The result of {@link GetDocumentsCommand}. */
export interface GetDocumentsResult {
  /** The documents as they are stored, in the order of the ids; `null` for an id without a document. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of any mapper, as in npm `ravendb`
  results: any[];
  /** The included documents, by id. */
  includes: Record<string, unknown>;
}

/** Reads documents as they are stored, without a session (`GET docs`). */
export class GetDocumentsCommand extends AnyThis implements RavenCommand<GetDocumentsResult> {
  /** `null` if a single id was requested and has no document. */
  result: GetDocumentsResult = null as never;
  #options: Partial<GetDocumentsCommandOptions>;

  /** @throws {RavenEdgeError} `InvalidArgument` if the options name no documents, and for an unknown option. */
  constructor(options: GetDocumentsCommandOptions) {
    super();
    this.#options = withoutNulls(options);
    checkNames("option of GetDocumentsCommand", this.#options, OPTIONS);
    const { id, ids, startsWith, start, pageSize } = this.#options;
    if (!ids?.length && [id, startsWith, start, pageSize].every((given) => given === undefined))
      fail("InvalidArgument", "GetDocumentsCommand needs an id, ids, startsWith, or start and pageSize");
  }

  get request(): CommandRequest {
    const { id, ids = id === undefined ? [] : [id], includes = [], metadataOnly } = this.#options;
    const { startsWith, matches, exclude, startsAfter, start, pageSize } = this.#options;
    const named = {
      startsWith,
      matches,
      exclude,
      startAfter: startsAfter,
      start,
      pageSize,
      metadataOnly: metadataOnly || undefined,
    };
    const included = includes.map((path) => ["include", path] as const);
    // As npm `ravendb`: one result for an id that is repeated.
    const request = byIds(query([...Object.entries(named), ...included]), [...new Set(ids)]);
    return request.body ? { ...request, method: "POST", safe: true } : request;
  }

  /** @internal */
  settle({ text }: CommandResponse): void {
    if (!text) return;
    const { Results: results, Includes: includes = {} } = JSON.parse(text) as {
      Results: (ServerDocument | null)[];
      Includes?: Record<string, ServerDocument | null>;
    };
    for (const document of [...results, ...Object.values(includes)])
      if (document) nameAttachments(document["@metadata"]);
    this.result = { includes, results };
  }
}
