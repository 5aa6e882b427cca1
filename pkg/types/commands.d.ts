// Requests that are no part of a session.

import type { DocumentConventions } from "./conventions.js";
import type { RequestEvents } from "./store-events.js";

/** A request that knows its answer, for {@link DocumentStore.execute}: one of the commands below. */
export interface RavenCommand<TResult> {
  /** What is sent. */
  readonly request: object;
  /** What it came to; `null` until it was sent. */
  readonly result: TResult;
}

/** Answers that a store keeps, for the server to say "not modified"; see {@link DocumentConventions.maxHttpCacheSize}. */
export interface HttpCache {
  readonly numberOfItems: number;
  clear(): void;
}

/** Sends the requests of a database; one per database and store. */
export interface RequestExecutor {
  readonly conventions: DocumentConventions;
  /** `undefined` where none are kept: `maxHttpCacheSize` is 0. */
  readonly cache: HttpCache;
  /** The address of the server as it was given, the first of several. */
  getUrl(): string;
  /** See {@link DocumentStore.execute}. */
  execute(command: RavenCommand<unknown>): Promise<void>;
  /** Listens to the requests of this database; see {@link DocumentStore.on}. */
  on<Name extends keyof RequestEvents>(event: Name, listener: (event: RequestEvents[Name]) => void): this;
  off<Name extends keyof RequestEvents>(event: Name, listener: (event: RequestEvents[Name]) => void): this;
  /** Does nothing: requests end with {@link DocumentStore.dispose}. */
  dispose(): void;
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
  /**
   * @param id May end with `/` or the pipe: then the server makes it.
   * @param changeVector What has to be there: `null`: anything; `""`: nothing, the document must not exist.
   * @param document With its `@metadata`; what the server says in it (`@id`, `@change-vector`, …) is left out.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank id or no document; when executed: `Concurrency`, ….
   */
  constructor(id: string, changeVector: string | null | undefined, document: object);
  readonly request: object;
  readonly result: PutResult;
}

/** Deletes a document (`DELETE docs`), whether there is one or not. */
export class DeleteDocumentCommand implements RavenCommand<null> {
  /** @param changeVector What has to be there; default: anything. */
  constructor(id: string, changeVector?: string | null);
  readonly request: object;
  readonly result: null;
}

/** The change vector of a document (`HEAD docs`), `null` when there is none. */
export class HeadDocumentCommand implements RavenCommand<string | null> {
  constructor(id: string);
  readonly request: object;
  readonly result: string | null;
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
  // biome-ignore lint/suspicious/noExplicitAny: documents of any shape, as in npm `ravendb`
  results: any[];
  /** What was included, by id. */
  includes: Record<string, unknown>;
}

/** Reads documents as they are stored, past any session (`GET docs`). */
export class GetDocumentsCommand implements RavenCommand<GetDocumentsResult> {
  /** @throws {RavenEdgeError} `InvalidArgument` when the options say nothing to read. */
  constructor(options: GetDocumentsCommandOptions);
  readonly request: object;
  /** `null` when there is no document of a single id. */
  readonly result: GetDocumentsResult;
}
