// A task of the core: a request with its failover and retries, or a move of parked numbers. The core says what to wait for; this makes the
// requests, and tells the core what a response means.

import {
  PURPOSE_FENCES,
  PURPOSE_LEASE,
  PURPOSE_RETURN,
  PURPOSE_TOPOLOGY,
  REPEAT_ANYWHERE,
  REPLY_LATE,
  REPLY_LOST,
  REPLY_MOVED,
  REPLY_PROCEED,
  REPLY_UNSENT,
  REPORT_AGAIN,
  REPORT_DONE,
  REPORT_GONE,
  REPORT_OUTAGE,
  REPORT_PROCEED,
  REPORT_REFUSED,
  REPORT_SEND,
  REPORT_UNSENT,
  SOURCE_OWN,
  SOURCE_SERVER,
  WAIT_FAIL,
  WAIT_MOVE,
  WAIT_PAUSE,
  WAIT_SEND,
} from "../../gen/protocol.js";
import type { RavenEdgeError } from "../common/error.js";
import { parsed, textOf } from "../common/json.js";
import { decoder } from "../common/text-codec.js";
import type { GlueTask, Reply, Wait } from "../runtime/core.js";
import { loadedPart, loadPart } from "../runtime/load-part.js";
import { encoded } from "../wire/query-string.js";
import { errorOf } from "../wire/server-error.js";
import type { CoreStore } from "./core-store.js";
import {
  type CoreRequest,
  type CoreResponse,
  type Exchange,
  Failure,
  isOutageStatus,
  refused,
  single,
} from "./exchange.js";
import type { Grant, Returned } from "./grant.js";
import { appliedIn, counterIn, giveBackUnderFences, leaseFromServer, readCounters } from "./server-source.js";

/** What a task is for, and its exchange. */
export interface Work {
  /** One of `PURPOSE_…`, and its numbers. */
  purpose: readonly number[];
  /** `undefined`: the task is a move. */
  exchange?: Exchange<Grant | CoreResponse> | undefined;
  /** The returns that it sends. Their texts are read at once: a later lease of the tag may forget them. */
  returned?: Returned[] | undefined;
}

export class CoreTask {
  #store;
  #core;
  #work: Work | undefined;
  #request: CoreRequest | undefined;
  #result: Grant | CoreResponse | undefined;
  #failure: Failure | undefined;
  /** The node that the last attempt went to. */
  #node = 0;
  /** Called with status and node of the response. */
  onResponse: ((status: number, node: number) => void) | undefined;

  /** `work`: that of a request of the app. */
  constructor(store: CoreStore, core: GlueTask, work?: Work) {
    this.#store = store;
    this.#core = core;
    this.#work = work;
  }

  free(): void {
    this.#core.free();
  }

  /** Applies a move to the numbers of a record; see `Task` in `wasm/src/task.rs`. */
  decide(stored: number, record: number[]): Float64Array {
    return this.#core.decide(stored, Float64Array.from(record));
  }

  /** Continues with the reply to what it waited for. Returns what to wait for now, or `undefined` when it has ended; throws if it has failed. */
  step(...reply: Reply): Wait | undefined {
    const [status, , , cause] = reply;
    if (status === REPLY_MOVED || status === REPLY_LOST)
      return this.#goOn(this.#core.moved(status === REPLY_MOVED));
    const loading = this.#request ? undefined : this.#begin();
    if (loading) return loading;
    const report = this.#read(reply);
    if (report === REPORT_DONE) return this.#finish(cause);
    let wait = this.#report(report);
    if (wait[0] === WAIT_FAIL && this.#failure && report !== REPORT_REFUSED && report !== REPORT_AGAIN) {
      // An outage that is not retried: the exchange may have an alternative.
      const failure = this.#failure;
      const next = this.#advance((exchange) => exchange.throw(failure));
      if (next === REPORT_AGAIN) wait = this.#report(next);
    }
    return this.#waitFor(wait, cause, report === REPORT_UNSENT);
  }

  /** Makes the first request. Returns a promise if its code must be loaded first. */
  #begin(): Promise<Reply> | undefined {
    this.#work ??= { purpose: Array.from(this.#core.purpose()) };
    const work = this.#work;
    work.returned ??= this.#returned();
    if (this.#isOfOthers && !loadedPart("sources")) {
      const none = new Uint8Array();
      return loadPart("sources").then(() => [REPLY_PROCEED, none]);
    }
    work.exchange ??= this.#exchangeFor(work);
    if (work.exchange) this.#advance((exchange) => exchange.next());
    return undefined;
  }

  #exchangeFor({ purpose, returned = [] }: Work): Work["exchange"] {
    const { base, texts, options } = this.#store;
    const { source, separator } = options;
    const [kind, ...numbers] = purpose;
    const others = this.#isOfOthers ? loadedPart("sources") : undefined;
    const isOk = ({ status }: CoreResponse) => status === 200;
    switch (kind) {
      case PURPOSE_LEASE: {
        const ask = texts.ask(numbers);
        return others?.leaseFrom(source, base, separator, ask) ?? leaseFromServer(base, separator, ask);
      }
      case PURPOSE_FENCES: {
        const tags = this.#items(2).map(([tag]) => texts.tags[tag as number] as string);
        return single(readCounters(base, source.counters, tags, source.home), isOk);
      }
      case PURPOSE_RETURN: {
        const request =
          others?.releaseToApp(returned) ?? giveBackUnderFences(base, source.counters, returned);
        return single(request, ({ status }) => status === 201);
      }
      case PURPOSE_TOPOLOGY: {
        const path = `/topology?name=${encoded(options.database)}`;
        return single({ method: "GET", path, repeat: REPEAT_ANYWHERE, node: -1 }, isOk);
      }
    }
    return undefined;
  }

  /** Whether the requests are those of another source than the server's leases. */
  get #isOfOthers(): boolean {
    const purpose = this.#work?.purpose[0] as number;
    const { kind } = this.#store.options.source;
    // Counter documents are read and returned in the same way, whoever leases from them.
    return (
      (purpose === PURPOSE_LEASE && kind > SOURCE_SERVER) ||
      (purpose === PURPOSE_RETURN && kind >= SOURCE_OWN)
    );
  }

  /** The numbers of the purpose, in groups of this many. */
  #items(size: number): number[][] {
    const numbers = this.#work?.purpose.slice(1) ?? [];
    return Array.from({ length: numbers.length / size }, (_, at) =>
      numbers.slice(at * size, (at + 1) * size),
    );
  }

  #returned(): Returned[] | undefined {
    const { texts } = this.#store;
    if (this.#work?.purpose[0] !== PURPOSE_RETURN) return undefined;
    return this.#items(4).map(([tag, lease, high, last]) => ({
      tag: texts.tags[tag as number] as string,
      fence: texts.fence(lease as number) ?? "",
      high: high as number,
      last: last as number,
    }));
  }

  /** Advances the exchange; returns what this means for the core, one of `REPORT_…`. */
  #advance(
    by: (exchange: Exchange<Grant | CoreResponse>) => IteratorResult<CoreRequest, Grant | CoreResponse>,
  ): number {
    try {
      const { done, value } = by(this.#work?.exchange as Exchange<Grant | CoreResponse>);
      if (done) {
        this.#result = value;
        return REPORT_DONE;
      }
      this.#request = value;
      this.#failure = value.again;
      return value.again ? REPORT_AGAIN : REPORT_SEND;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#failure = error;
      return REPORT_REFUSED;
    }
  }

  /** What a reply means for the core: one of `REPORT_…`. */
  #read([status, bytes, text]: Reply): number {
    if (status === REPLY_PROCEED) return REPORT_PROCEED;
    if (status < 100) {
      // The numbers are the same.
      this.#failure =
        status === REPLY_LATE
          ? new Failure("Timeout", "the server did not respond in time")
          : new Failure("Unreachable", text ?? "");
      return status === REPLY_UNSENT ? REPORT_UNSENT : status;
    }
    const response = { status, text: decoder.decode(bytes), node: this.#node, incarnation: text };
    if (isOutageStatus(status)) {
      this.#failure = refused(response);
      // A typed 410 is from RavenDB: the database was moved to other nodes, and this one has not carried out the request. The 410 of a
      // proxy has no type and proves nothing.
      return status === 410 && textOf(parsed(response.text).Type) ? REPORT_GONE : REPORT_OUTAGE;
    }
    return this.#advance((exchange) => exchange.next(response));
  }

  #report(report: number): Float64Array {
    const { repeat = 0, node = -1 } = this.#request ?? {};
    return this.#core.step(report, repeat, node);
  }

  /** The exchange has ended: the core gets its result. */
  #finish(cause: unknown): Wait | undefined {
    const { host, texts, options } = this.#store;
    const result = this.#result as Grant & CoreResponse;
    const [kind, tag] = this.#work?.purpose ?? [];
    switch (kind) {
      case PURPOSE_LEASE:
        return this.#goOn(this.#core.leased(...texts.grant(tag as number, result)));
      case PURPOSE_FENCES: {
        const found = this.#items(2).flatMap(([tag = 0, affixes = 0]) =>
          texts.counter(tag, affixes, counterIn(result.text, options.source.counters + texts.tags[tag])),
        );
        this.#core.refenced(texts.incarnation(result.incarnation), Float64Array.from(found));
        return undefined;
      }
      case PURPOSE_RETURN:
        this.#notifyReturned(result.text);
        break;
      case PURPOSE_TOPOLOGY:
        host.topology(result.text);
        break;
      default:
        this.onResponse?.(result.status, result.node);
    }
    return this.#waitFor(this.#report(REPORT_DONE), cause);
  }

  /** Notifies the listeners of returns, which were carried out or not. */
  #notifyReturned(text: string, error?: RavenEdgeError): void {
    const returned = this.#work?.returned ?? [];
    const { host } = this.#store;
    // A function of the app has no results.
    const applied = this.#isOfOthers ? [!error] : appliedIn(text, returned.length);
    returned.forEach(({ tag, high, last }, at) =>
      host.emit("return", { tag, low: last + 1, high, applied: !!applied[at], error }),
    );
  }

  /** The task may have become another one, which begins. */
  #goOn(wait: Float64Array): Wait | undefined {
    this.#work = this.#request = this.#failure = undefined;
    if (wait[0] === WAIT_SEND) this.#begin();
    return this.#waitFor(wait);
  }

  #waitFor([kind, first = 0, second]: Float64Array, cause?: unknown, unsent = false): Wait | undefined {
    const { host, texts, topologyEtag } = this.#store;
    switch (kind) {
      case WAIT_SEND: {
        const request = this.#request as CoreRequest;
        const { method, path, body, ifMatch, early } = request;
        const url = texts.urls[first] ?? "";
        const left = early === undefined ? undefined : host.takeEarly(url + early, second as number);
        // Only for the first attempt.
        request.early = undefined;
        this.#node = first;
        return left ?? host.send(method, url + path, body, ifMatch, topologyEtag, second as number);
      }
      case WAIT_PAUSE:
        return host.pause(first);
      case WAIT_MOVE:
        return host.move(texts, first, !!second);
      case WAIT_FAIL: {
        const { method, path } = this.#request ?? { method: "", path: "" };
        const failure = this.#failure as Failure;
        const error = errorOf(failure, cause, `${method} ${path.split("?")[0]}`, unsent);
        const purpose = this.#work?.purpose[0];
        // Numbers whose return fails are burnt, which is harmless. So the failure is an event and not an error.
        if (purpose === PURPOSE_RETURN) this.#notifyReturned("", error);
        else if (purpose !== PURPOSE_FENCES) throw error;
      }
    }
    return undefined;
  }
}
