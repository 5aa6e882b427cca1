// What commands and operations have in common. Types alone.

import type { DocumentConventions } from "../store/conventions.js";

/** What is sent. */
export interface CommandRequest {
  /** Default: `GET`. */
  method?: string;
  /** Below the database's own address, with its query; of the server, if it begins with `/`. */
  route: string;
  /** Becomes JSON. */
  body?: unknown;
  /** The body as text, in place of `body`. */
  text?: string | undefined;
  /** The change vector that the server compares. */
  ifMatch?: string | undefined;
  /** Whether it may be sent to each node, because a repetition changes nothing. Default: for `GET`. */
  safe?: boolean | undefined;
  /** The core's number of the only node that may be asked. */
  node?: number | undefined;
}

/**
 * What came back.
 * @internal
 */
export interface CommandResponse {
  status: number;
  text: string;
  /** The core's number of the node that answered. */
  node: number | undefined;
}

/** A request that keeps its result, for {@link DocumentStore.execute}: one of this package's commands. */
export interface RavenCommand<TResult> {
  /** What is sent. */
  readonly request: object;
  /** What it came to; `null` until it was sent. */
  readonly result: TResult;
}

/**
 * A command as the store sends it.
 * @internal
 */
export interface SentCommand<TResult> extends RavenCommand<TResult> {
  readonly request: CommandRequest;
  result: TResult;
  /** Makes the result of the response. Throws a `SyntaxError` for a response that RavenDB would not give. */
  settle(response: CommandResponse): void;
}

/** Something to be done with a database, for {@link DocumentStore.operations}. */
export interface RavenOperation<TResult> {
  getCommand(conventions: DocumentConventions): RavenCommand<TResult>;
}

/** What the server goes on with after it has answered. */
export interface AwaitableOperation {
  getCommand(conventions?: DocumentConventions): Promise<RavenCommand<unknown>>;
}
