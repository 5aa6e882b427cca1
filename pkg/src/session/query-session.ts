// A session with queries.

import type { Implemented } from "../common/any-this.js";
import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { DocumentType } from "../documents/entity-types.js";
import type { NamedQueryOptions, Names } from "../named/named-definitions.js";
import { Patches } from "../patching/patch-commands.js";
import { DocumentQuery } from "../query/document-query.js";
import type { DocumentQueryOptions, QueriedIndex } from "../query/query-options.js";
import { RawDocumentQuery } from "../query/raw-query.js";
import { stream } from "../stream/open-stream.js";
import type { NodeWritable } from "../stream/stream-types.js";
import type { AdvancedSession } from "./advanced-session-types.js";
import type { DocumentSession as PublicSession } from "./document-session-types.js";
import type { SessionOptions } from "./session-options.js";
import { SessionState } from "./session-state.js";
import type { SessionStore } from "./session-store.js";

type QueryTarget = DocumentType | DocumentQueryOptions<object> | NamedQueryOptions<Names, object>;

/** What TypeScript cannot compare: `advanced` is the session itself, the symbol of disposal depends on the platform. */
type Uncompared = "advanced" | "attachments" | "documentStore" | "lazily" | typeof Symbol.asyncDispose;

type SessionMembers = Implemented<PublicSession, Uncompared>;
type AdvancedMembers = Implemented<AdvancedSession, Uncompared>;

export class DocumentSession extends Patches implements SessionMembers, AdvancedMembers {
  #state;

  constructor(store: SessionStore, options: SessionOptions) {
    const state = new SessionState(store, options);
    super(state);
    this.#state = state;
  }

  query(options: QueryTarget = {}, index?: QueriedIndex): DocumentQuery {
    return this.documentQuery(
      isObject(options) ? options : ({ documentType: options, index } as DocumentQueryOptions<object>),
    );
  }

  documentQuery(options: QueryTarget): DocumentQuery {
    return new DocumentQuery(
      this.#state,
      isObject(options) ? options : { documentType: options as DocumentType },
    );
  }

  rawQuery(text: string, type?: DocumentType): RawDocumentQuery {
    if (!isText(text)) fail("InvalidArgument", "rawQuery takes RQL");
    return new RawDocumentQuery(this.#state, [["raw", text]], this.#state.conventions.classOf(type));
  }

  stream(target: unknown, options?: unknown): ReturnType<typeof stream> {
    return stream(this.#state, target, options);
  }

  async streamInto(query: unknown, writable: NodeWritable): Promise<void> {
    const { node = fail("Unsupported", "streamInto is for Node: go through stream(query)") } =
      this.#state.runtime;
    await node.write(stream(this.#state, query, undefined, true), writable);
  }
}
