// `session.advanced.stream`: documents one by one, however many there are, in memory that does not grow with them.

import { AnyThis } from "../common/any-this.js";
import { isObject, optionsOf } from "../common/arguments.js";
import { type ErrorCode, type ErrorDetails, fail, RavenEdgeError } from "../common/error.js";
import type { JsonObject } from "../common/json.js";
import { camel } from "../common/member-case.js";
import { within } from "../common/time.js";
import { isEngineError } from "../common/value-kinds.js";
import type {
  DocumentType,
  Entity,
  ObjectTypeDescriptor,
  ServerDocument,
} from "../documents/entity-types.js";
import { dateOf } from "../documents/mapping/date-format.js";
import { type ConversionEvent, convert, type ReadOptions } from "../loading/track-documents.js";
import type { CommandRequest } from "../operations/operation-types.js";
import { bodyOf } from "../query/index-query.js";
import type { ExecutedQuery } from "../query/query-execution.js";
import type { Reading } from "../query/query-results.js";
import { NO_INDEX } from "../rql/query-statistics.js";
import { loadPart, type Parts } from "../runtime/load-part.js";
import { dead } from "../runtime/runtime.js";
import type { SessionLoadStartingWithOptions } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import type { StreamedBody } from "../wire/http-request.js";
import { query as parameters } from "../wire/query-string.js";
import { type BodyReader, bodyReader, IncrementalParser, type Piece } from "./incremental-parser.js";
import type { StreamQueryStatistics, StreamResult } from "./stream-types.js";

const NOTHING = new Uint8Array();
/** An error message, in a response that may not be valid JSON. */
const ERROR = /"Error":("(?:[^"\\]|\\.)*")/;

type Result = IteratorResult<StreamResult, unknown>;

/** A response that has begun. */
interface Response {
  reader: BodyReader;
  pieces: IncrementalParser;
  /** Whether the instance that the request was sent with is alive. */
  isAlive(): boolean;
}

/** Iterates a response as it arrives; the next piece is read when the documents of the last one are used up. */
class DocumentStream extends AnyThis {
  #state;
  #asked: StreamRequest | undefined;
  #type: ObjectTypeDescriptor | undefined;
  /** Gets the statistics of queries, too. */
  #listener: StatisticsListener | undefined;
  #request: string | undefined;
  #opening: Promise<void> | undefined;
  #body: StreamedBody | undefined;
  #response: Response | undefined;
  #documents: ServerDocument[] = [];
  #at = 0;
  #count = 0;
  #isBegun = false;
  #isOver = false;
  #error: unknown;
  /** Whether documents are given as the server sends them, not as entities. */
  #isRaw;
  /** Calls of `next` that wait, one for the other. */
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(state: SessionState, isRaw: boolean) {
    super();
    this.#state = state;
    this.#isRaw = isRaw;
  }

  onStatistics(listener: StatisticsListener): void {
    this.#listener = listener;
  }

  /** Sends the request that `make` resolves with. Resolves with this stream, or with the platform's own kind of stream. */
  open(make: () => Promise<StreamRequest>): Promise<AsyncIterableIterator<StreamResult, unknown>> {
    this.#opening = this.#open(make);
    const { node } = this.#state.runtime;
    return this.#opening.then(() => (node ? node.readable(this) : this));
  }

  async #open(make: () => Promise<StreamRequest>): Promise<void> {
    const state = this.#state;
    try {
      state.use("stream");
      this.#asked = await make();
      const { command, type } = this.#asked;
      const path = state.store.path(command.route.split("?", 1)[0] as string);
      this.#request = `${command.method} ${path}`;
      this.#type = state.conventions.classOf(type);
      const { status, text } = await state.ask(command, (body) => {
        this.#body = body;
        return NOTHING;
      });
      if (this.#isOver) this.#body?.abort();
      else if (!this.#body) this.#refuse(status, text);
      else {
        const { runtime } = state;
        this.#response = {
          isAlive: runtime.bound(() => {}).alive,
          pieces: new IncrementalParser(),
          reader: bodyReader(this.#body.stream, runtime.isolated),
        };
      }
    } catch (error) {
      this.stop(error);
      throw error;
    }
  }

  /** The response for an index that does not exist is not valid JSON: its braces are missing. */
  #refuse(status: number, text: string): never {
    const quoted = ERROR.exec(text)?.[1];
    const message = quoted ? JSON.parse(quoted) : `the server responded with status ${status}`;
    this.#fail("Server", message, { status, type: quoted && NO_INDEX });
  }

  #fail(code: ErrorCode, message: string, details?: ErrorDetails): never {
    throw new RavenEdgeError(code, message, { ...details, request: this.#request });
  }

  next(): Promise<Result> {
    if (this.#waiting === 0 && this.#at < this.#documents.length) {
      try {
        return Promise.resolve(this.#next());
      } catch (error) {
        this.stop(error);
        return Promise.reject(error);
      }
    }
    this.#waiting++;
    const turn = this.#last.then(() => this.#advance()).finally(() => this.#waiting--);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #advance(): Promise<Result> {
    try {
      await this.#opening;
      while (!this.#isOver && this.#at >= this.#documents.length) await this.#pull();
      if (!this.#isOver) return this.#next();
    } catch (error) {
      this.stop(error);
    }
    if (this.#error) throw this.#error;
    return { value: undefined, done: true };
  }

  #next(): Result {
    const found = this.#documents[this.#at++] as ServerDocument;
    this.#count++;
    if (!isObject(found["@metadata"])) this.#fail("BadAnswer", "the stream has a document without metadata");
    const document = this.#asked?.pick?.(found) ?? found;
    const metadata = document["@metadata"];
    // A result that is not a document, such as that of a group, has neither.
    const { "@id": id = null, "@change-vector": vector } = metadata;
    const changeVector = (id && vector) ?? null;
    const entity = this.#isRaw ? document : this.#entity(document, id as string | null);
    return { value: { changeVector, metadata, id, document: entity } as StreamResult, done: false };
  }

  /** The session's own entity if it has the document; else an entity that the session does not track. */
  #entity(document: ServerDocument, id: string | null): Entity {
    const state = this.#state;
    const { unitOfWork } = state;
    const { "@projection": isPart } = document["@metadata"];
    const slot = id === null || unitOfWork.isBlank || isPart ? -1 : unitOfWork.slot(id);
    if (slot >= 0 && !unitOfWork.isHidden(slot)) return unitOfWork.at(slot);
    const events: ConversionEvent[] = [];
    const project = isPart && this.#asked?.project;
    const entity = project ? project(document, events) : convert(state, document, this.#type, events);
    for (const event of events) state.emit("afterConversionToEntity", event);
    return entity as Entity;
  }

  /** Reads the next piece. */
  async #pull(): Promise<void> {
    this.#documents = [];
    this.#at = 0;
    this.#state.store.assertOpen();
    const { isAlive, pieces, reader } = this.#response as Response;
    if (!isAlive()) throw dead();
    const { done, value } = await this.#within(reader.read());
    // Stopped meanwhile.
    if (this.#isOver) return;
    if (done) return this.#end(pieces);
    this.#documents = this.#parse(() => pieces.take(value as Uint8Array)) as ServerDocument[];
    if (this.#isBegun || !pieces.isBegun) return;
    this.#isBegun = true;
    this.#begin(this.#parse(() => pieces.head));
  }

  /** Reports the members in front of the documents. */
  #begin({ Results, ...others }: JsonObject): void {
    if (!Results) this.#fail("BadAnswer", "the stream has no documents");
    const statistics = camel(others) as StreamQueryStatistics;
    statistics.indexTimestamp &&= dateOf(others.IndexTimestamp as string);
    this.#asked?.statistics?.(statistics);
    // A stream by the prefix of ids has none.
    if (others.IndexName) this.#listener?.(statistics);
  }

  /** Checks the members behind the documents. RavenDB reports an error there, and does not close the JSON then. */
  #end(pieces: IncrementalParser): void {
    const quoted = ERROR.exec(pieces.tail)?.[1];
    if (quoted) {
      const text = this.#parse(() => JSON.parse(quoted));
      const [, type, message] = /^(?:([\w.+`]+): )?(.*)/.exec(text) as string[];
      this.#fail("Server", message as string, { type });
    }
    if (!pieces.isComplete) this.#fail("BadAnswer", `the stream was cut off after ${this.#count} documents`);
    this.stop();
  }

  #parse<Value>(parse: () => Value): Value {
    try {
      return parse();
    } catch (cause) {
      if (!isEngineError(cause, "SyntaxError")) throw cause;
      this.#fail("BadAnswer", `this is not the requested stream: ${cause.message}`, { cause });
    }
  }

  /** The next piece, if it comes within the time limit of requests. */
  async #within(reading: Promise<Piece>): Promise<Piece> {
    const { runtime, store } = this.#state;
    const { timeout } = store;
    try {
      const piece = await runtime.whileAlive(within(timeout, reading));
      return piece ?? this.#fail("Timeout", `the stream sent nothing more within ${timeout} ms`);
    } catch (cause) {
      if (cause instanceof RavenEdgeError) throw cause;
      const reason = (cause as Error | undefined)?.message ?? cause;
      return this.#fail("Unreachable", `the stream ended after ${this.#count} documents: ${reason}`, {
        cause,
      });
    }
  }

  /** Ends the request. Later calls of `next` reject with the error, if there is one. */
  stop(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#documents = [];
    this.#response?.reader.cancel().catch(() => {});
    this.#body?.abort();
  }

  async return(value?: unknown): Promise<Result> {
    this.stop();
    return { value, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")](): Promise<void> {
    this.stop();
  }
}

/**
 * Opens a stream of a prefix of ids, of `{ startsWith, …options }` or of a query; `opened` resolves with what the app gets. `isRaw`:
 * documents are given as the server sends them, not as entities.
 */
export function open(
  state: SessionState,
  target: unknown,
  given?: unknown,
  isRaw = false,
): { documents: DocumentStream; opened: ReturnType<DocumentStream["open"]> } {
  const documents = new DocumentStream(state, isRaw);
  const opened = documents.open(async () => {
    if (typeof target === "string") return listing(target, given);
    if (isObject(target) && target.startsWith !== undefined) return listing(target.startsWith, target);
    return querying(state, target, given);
  });
  return { documents, opened };
}

/** Gets the statistics of a query. */
type StatisticsListener = (statistics: StreamQueryStatistics) => void;

interface StreamRequest {
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
