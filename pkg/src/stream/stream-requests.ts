// The requests of streams, and how their documents are read.

import { optionsOf } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { DocumentType, ServerDocument } from "../documents/entity-types.js";
import type { ReadOptions } from "../loading/track-documents.js";
import type { CommandRequest } from "../operations/operation-types.js";
import { bodyOf } from "../query/index-query.js";
import type { ExecutedQuery } from "../query/query-execution.js";
import type { Reading } from "../query/query-results.js";
import { loadPart, type Parts } from "../runtime/load-part.js";
import type { SessionLoadStartingWithOptions } from "../session/advanced-options.js";
import type { SessionState } from "../session/session-state.js";
import { query as parameters } from "../wire/query-string.js";
import type { StreamQueryStatistics } from "./stream-types.js";

/** Gets the statistics of a query. */
export type StatisticsListener = (statistics: StreamQueryStatistics) => void;

export interface StreamRequest {
  command: CommandRequest;
  /** The class of the documents, if the app names one. */
  type: DocumentType | undefined;
  /** Converts parts of documents. */
  project?: ReadOptions["project"];
  /** What is read of a document. */
  pick?: ((document: ServerDocument) => ServerDocument) | undefined;
  statistics?: StatisticsListener | undefined;
}

/** Text, options and reading of a query of a session. */
interface Query {
  indexQuery?(): string | Promise<string>;
  documentType?: DocumentType;
  reading?: Pick<Reading, "type" | "project" | "tag">;
  part?: ExecutedQuery["part"];
  calls?: ExecutedQuery["calls"];
}

/** Documents by the prefix of their ids. */
export function listing(startsWith: unknown, given: unknown): StreamRequest {
  const options = optionsOf<SessionLoadStartingWithOptions>(given);
  const { documentType: type, matches, exclude, startAfter, start, pageSize } = options;
  const most = (pageSize as number) < Number.MAX_VALUE ? pageSize : undefined;
  const named = { startsWith: startsWith || undefined, matches, exclude, startAfter, start, pageSize: most };
  const route = `streams/docs?${parameters(Object.entries(named))}`;
  return { command: { method: "GET", route }, type };
}

const tagOf = (reading: Query["reading"]) => (reading?.tag ? `?${parameters([["tag", reading.tag]])}` : "");

/** Documents by a query. */
export async function querying(
  state: SessionState,
  query: unknown,
  statistics: unknown,
): Promise<StreamRequest> {
  if (statistics !== undefined && typeof statistics !== "function")
    fail("InvalidArgument", "statistics are passed to a function");
  const { reading, documentType: type = reading?.type, part, calls = [] } = (query ?? {}) as Query;
  const { route, text, pick }: ReturnType<Parts["named"]["streamed"]> =
    part === "named"
      ? (await loadPart(part)).streamed(state, calls)
      : // The text must be made first: making it sets the tag.
        { text: await bodyOf(query as Query), route: `streams/queries${tagOf(reading)}` };
  if (JSON.parse(text).WaitForNonStaleResults)
    fail(
      "Unsupported",
      "a stream cannot wait for an index: wait with a query that takes 0 results, then stream",
    );
  state.count();
  const command = { method: "POST", route, text, safe: true };
  const project: ReadOptions["project"] = reading && ((...part) => reading.project?.(...part));
  return { command, type, project, pick, statistics: statistics as StatisticsListener | undefined };
}
