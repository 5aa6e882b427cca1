// `session.advanced.stream`: documents one by one, however many there are, in memory that does not grow with them.

import { isObject, optionsOf } from "../common/arguments.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { camel } from "../common/member-case.js";
import { within } from "../common/timeout.js";
import { dateOf } from "../documents/entity-mapper.js";
import { convert } from "../loading/fetch-entities.js";
import { bodyOf, NO_INDEX } from "../query/index-query.js";
import { dead } from "../runtime/runtime.js";
import { query as parameters } from "../wire/query-string.js";
import { reading } from "./body-reader.js";
import { Pieces } from "./response-pieces.js";

const NOTHING = new Uint8Array();
/** What went wrong, in an answer that may be no JSON then. */
const ERROR = /"Error":("(?:[^"\\]|\\.)*")/;

/** Goes through an answer as it arrives; the next piece is read when the documents of the last one are used up. */
class DocumentStream {
  #unit;
  #type;
  #project;
  #statistics;
  #request;
  #opening;
  #body;
  #reader;
  #pieces;
  /** Whether the instance lives that the request was sent with. */
  #isAlive;
  #documents = [];
  #at = 0;
  #count = 0;
  #isBegun = false;
  #over = false;
  #error;
  /** Whether documents are to stay as the server says them. */
  #raw;
  /** Is told the statistics, too. */
  told;
  /** Calls of `next` that wait, one for the other. */
  #waiting = 0;
  #last = Promise.resolve();

  constructor(unit, raw) {
    this.#unit = unit;
    this.#raw = raw;
  }

  /** Becomes the stream, or what a platform has for it. Gives a promise of it.
   *
   * `make` gives the command, the class of the documents, what becomes of parts of documents, and who wants to know the
   * statistics.
   */
  open(make) {
    this.#opening = this.#open(make);
    const { node } = this.#unit.runtime;
    return this.#opening.then(() => (node ? node.readable(this) : this));
  }

  async #open(make) {
    const unit = this.#unit;
    try {
      unit.assertOpen();
      unit.streams.add(this);
      const { command, type, project, statistics } = await make();
      this.#request = `${command.method} ${unit.store.path(command.route.split("?", 1)[0])}`;
      this.#type = unit.conventions.classOf(type);
      this.#project = project;
      this.#statistics = statistics;
      const { status, text } = await unit.ask(command, (body) => {
        this.#body = body;
        return NOTHING;
      });
      if (this.#over) this.#body?.abort();
      else if (!this.#body) this.#refused(status, text);
      else {
        const { runtime } = unit;
        this.#isAlive = runtime.bound().alive;
        this.#pieces = new Pieces();
        this.#reader = reading(this.#body.stream, runtime.isolated);
      }
    } catch (error) {
      this.stop(error);
      throw error;
    }
  }

  /** RavenDB tells of an index that it does not have in a way of its own. */
  #refused(status, text) {
    // Its braces are missing.
    const said = ERROR.exec(text)?.[1];
    const message = said ? JSON.parse(said) : `the server answered with status ${status}`;
    this.#fail("Server", message, { status, type: said && NO_INDEX });
  }

  #fail(code, message, details) {
    throw new RavenEdgeError(code, message, { ...details, request: this.#request });
  }

  next() {
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

  async #advance() {
    try {
      await this.#opening;
      while (!this.#over && this.#at >= this.#documents.length) await this.#pull();
      if (!this.#over) return this.#next();
    } catch (error) {
      this.stop(error);
    }
    if (this.#error) throw this.#error;
    return { value: undefined, done: true };
  }

  #next() {
    const document = this.#documents[this.#at++];
    this.#count++;
    const metadata = document["@metadata"];
    if (!isObject(metadata)) this.#fail("BadAnswer", "the stream has a document without metadata");
    // What is no document, such as the result of a group, has neither.
    const { "@id": id = null, "@change-vector": vector } = metadata;
    const changeVector = (id && vector) ?? null;
    const entity = this.#raw ? document : this.#entity(document, id, metadata);
    return { value: { changeVector, metadata, id, document: entity }, done: false };
  }

  /** One that the session has is that one; the others it does not take in. */
  #entity(document, id, metadata) {
    const unit = this.#unit;
    const { tracker } = unit;
    const slot = id === null || tracker.isBlank || metadata["@projection"] ? -1 : tracker.slot(id);
    if (slot >= 0 && !tracker.isHidden(slot)) return tracker.at(slot);
    const told = [];
    const entity =
      this.#project && metadata["@projection"]
        ? this.#project(document, told)
        : convert(unit, document, this.#type, told);
    for (const event of told) unit.emit("afterConversionToEntity", event);
    return entity;
  }

  async #pull() {
    this.#documents = [];
    this.#at = 0;
    this.#unit.store.assertOpen();
    if (!this.#isAlive()) throw dead();
    const { done, value } = await this.#within(this.#reader.read());
    // Stopped meanwhile.
    if (this.#over) return;
    if (done) return this.#end();
    this.#documents = this.#read(() => this.#pieces.take(value));
    if (this.#isBegun || !this.#pieces.isBegun) return;
    this.#isBegun = true;
    this.#begin(this.#read(() => this.#pieces.head));
  }

  #begin({ Results, ...said }) {
    if (!Results) this.#fail("BadAnswer", "the stream has no documents");
    const statistics = camel(said);
    statistics.indexTimestamp &&= dateOf(statistics.indexTimestamp);
    this.#statistics?.(statistics);
    // By the beginning of ids there are none.
    if (said.IndexName) this.told?.(statistics);
  }

  #end() {
    // What goes wrong in the middle is told at the end, where RavenDB forgets to close the answer.
    const said = ERROR.exec(this.#pieces.tail)?.[1];
    if (said) {
      const [, type, message] = /^(?:([\w.+`]+): )?(.*)/.exec(this.#read(() => JSON.parse(said)));
      this.#fail("Server", message, { type });
    }
    if (!this.#pieces.isComplete)
      this.#fail("BadAnswer", `the stream was cut off behind ${this.#count} documents`);
    this.stop();
  }

  #read(parse) {
    try {
      return parse();
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      this.#fail("BadAnswer", `the stream is not what was asked for: ${cause.message}`, { cause });
    }
  }

  /** What a read gives, if that comes within the time limit of requests. */
  async #within(reading) {
    const { runtime, store } = this.#unit;
    const { timeout } = store;
    try {
      const read = await runtime.whileAlive(within(timeout, reading));
      return read ?? this.#fail("Timeout", `nothing more of the stream came within ${timeout} ms`);
    } catch (cause) {
      if (cause instanceof RavenEdgeError) throw cause;
      const reason = cause?.message ?? cause;
      return this.#fail("Unreachable", `the stream broke off behind ${this.#count} documents: ${reason}`, {
        cause,
      });
    }
  }

  /** Reads no more and ends the request; who asks for more is told the error, if there is one. */
  stop(error) {
    if (this.#over) return;
    this.#over = true;
    this.#error = error;
    this.#documents = [];
    this.#unit.streams.delete(this);
    this.#reader?.cancel().catch(() => {});
    this.#body?.abort();
  }

  async return(value) {
    this.stop();
    return { value, done: true };
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    this.stop();
  }
}

/** By the beginning of ids. */
function listing(startsWith, given) {
  const { documentType: type, matches, exclude, startAfter, start, pageSize } = optionsOf(given);
  const most = pageSize < Number.MAX_VALUE ? pageSize : undefined;
  const named = { startsWith: startsWith || undefined, matches, exclude, startAfter, start, pageSize: most };
  const route = `streams/docs?${parameters(Object.entries(named))}`;
  return { command: { method: "GET", route }, type };
}

/** By a query. */
async function querying(unit, query, statistics) {
  if (statistics !== undefined && typeof statistics !== "function")
    fail("InvalidArgument", "who wants to know the statistics is a function");
  const body = await bodyOf(query);
  if (JSON.parse(body).WaitForNonStaleResults)
    fail(
      "Unsupported",
      "a stream does not wait for an index: wait by a query that takes nothing, then stream",
    );
  unit.count();
  const command = { method: "POST", route: "streams/queries", text: body, safe: true };
  const { reading, documentType: type = reading?.type } = query;
  const project = reading && ((...part) => reading.project(...part));
  return { command, type, project, statistics };
}

/**
 * What the beginning of an id, `{ startsWith, …options }` or a query stands for, and a promise of what the app gets when it is
 * open. `raw`: documents come as the server says them, and not as entities.
 */
export function open(unit, target, given, raw) {
  const documents = new DocumentStream(unit, raw);
  const opened = documents.open(async () => {
    if (typeof target === "string") return listing(target, given);
    if (isObject(target) && target.startsWith !== undefined) return listing(target.startsWith, target);
    return querying(unit, target, given);
  });
  return { documents, opened };
}
