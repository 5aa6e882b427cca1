// The Durable Object of one counter. The state of its hub is in SQLite, and is written before a response or request is sent. The core
// decides about numbers; this file makes transactions and sends requests.

import { type Action, type Failure, Hub, type HubResponse, type SourceRequest } from "../../gen/edge_hub.js";
import { HEADER_INCARNATION } from "../../gen/protocol.js";
import { within } from "../common/time.js";
import {
  messageIn,
  REQUEST_ID,
  type RequestLine,
  requestIdOf,
  requestLine,
} from "../logging/request-line.js";
import { callApp } from "../numbers/number-source.js";
import { split } from "../wire/database-route.js";
import { failure, INCARNATION, NOTHING, PAGE } from "./hub-messages.js";
import type { HubSettings } from "./hub-options.js";

/** Results of a conversation's action that have no HTTP status. */
const [GO_ON, UNREACHABLE, LATE] = [0, 1, 2] as const;

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" };

/** What the object uses of the platform's state. */
export interface ObjectState {
  readonly storage: {
    readonly sql: unknown;
    transactionSync<Result>(work: () => Result): Result;
    setAlarm(time: number): Promise<void>;
  };
  waitUntil(promise: Promise<unknown>): void;
  abort(reason: string): void;
}

/** The result of an action: an HTTP status or one of the constants above, the body, and the incarnation or the reason of a failure. */
type Outcome = readonly [status: number, body: Uint8Array, text?: string | undefined, cause?: unknown];

export class HubObject<Env> {
  #ctx;
  #env;
  #settings;
  #hub: Hub | undefined;
  /** The conversation with the source that began last. */
  #conversation: Promise<unknown> | undefined;
  #alarmed = false;
  #refilling: Promise<Failure | undefined> | undefined;

  constructor(ctx: ObjectState, env: Env, settings: HubSettings<Env>) {
    this.#ctx = ctx;
    this.#env = env;
    this.#settings = settings;
  }

  async fetch(request: Request): Promise<Response> {
    const { path, target } = split(request.url);
    const { pathname } = new URL(request.url);
    const id = requestIdOf(request.headers);
    try {
      if (pathname.startsWith("/release/")) return await this.#release(id);
      if (pathname.startsWith("/burn/")) return this.#burn();
      const body = new Uint8Array(await request.arrayBuffer());
      const incarnation = request.headers.get(INCARNATION) ?? undefined;
      const page = request.headers.has(PAGE);
      for (let turn = 0; ; turn++) {
        // The first range may have been asked for before this request came; the second one is newer than what anybody reports here.
        const known = turn < 2 ? incarnation : "";
        const response = this.#write((hub) =>
          hub.handle(request.method, target, body, known, page, Date.now()),
        );
        if (response) return this.#respond(response, id);
        const failed = await this.#refill(id);
        if (failed) return respond(failed, JSON_TYPE);
      }
    } catch (error) {
      this.#line(id).note(error, "failed");
      return this.#broken(error as Error, path);
    }
  }

  /** If the hub is idle, it returns its numbers. */
  async alarm(): Promise<void> {
    const idle = Date.now() - this.#write((hub) => hub.lentAt());
    if (idle < this.#settings.idle) return this.#wake(this.#settings.idle - idle);
    this.#alarmed = false;
    await this.#converse((hub) => hub.giveBack(Date.now()), crypto.randomUUID());
  }

  #respond([status, body, incarnation, low]: HubResponse, id: string): Response {
    // Leased before it is needed; callers that find no numbers left wait for the same range.
    if (low) this.#ctx.waitUntil(this.#refill(id).catch((error) => this.#line(id).note(error, "failed")));
    if (!this.#alarmed) this.#wake(this.#settings.idle);
    return new Response(body, {
      status,
      headers: incarnation === undefined ? JSON_TYPE : { ...JSON_TYPE, [HEADER_INCARNATION]: incarnation },
    });
  }

  #wake(after: number): Promise<void> | undefined {
    this.#alarmed = true;
    return Number.isFinite(after) ? this.#ctx.storage.setAlarm(Date.now() + after) : undefined;
  }

  async #release(id: string): Promise<Response> {
    const failed = await this.#converse((hub) => hub.giveBack(Date.now()), id);
    return failed ? respond(failed) : new Response(null);
  }

  #burn(): Response {
    this.#write((hub) => hub.burn());
    return new Response(null);
  }

  /** One transaction: an error undoes all of it, and memory is read again. */
  #write<Result>(change: (hub: Hub) => Result): Result {
    return this.#ctx.storage.transactionSync(() => {
      this.#hub ??= new Hub(this.#ctx.storage.sql, JSON.stringify(this.#settings.config(this.#env)));
      return change(this.#hub);
    });
  }

  /** One range for all callers that wait, under the id of the first; resolves with the response for them if it fails. */
  #refill(id: string): Promise<Failure | undefined> {
    this.#refilling ??= this.#converse((hub) => hub.refill(Date.now()), id).finally(() => {
      this.#refilling = undefined;
    });
    return this.#refilling;
  }

  /** A conversation with the source, after the one under way: a hub has one at a time. */
  async #converse(begin: (hub: Hub) => Action | undefined, id: string): Promise<Failure | undefined> {
    const line = this.#line(id);
    const before = this.#conversation;
    const conversation = (async () => {
      await before?.catch(() => {});
      let next = this.#write(begin);
      while (next && next[0] !== "failed") {
        const [status, body, text] = next[0] === "send" ? await this.#send(next, id) : await pause(next[1]);
        next = this.#write((hub) => hub.step(status, body, text, Date.now()));
      }
      if (next) line.note(messageIn(next[2]), "failed");
      return next;
    })();
    this.#conversation = conversation;
    return conversation;
  }

  /** Sends one request; resolves with its outcome for the conversation. */
  async #send([, method, url, body, timeout]: SourceRequest, id: string): Promise<Outcome> {
    const call = this.#settings.call?.[url];
    const { fetch, headers } = this.#settings.upstream(this.#env);
    const signal = AbortSignal.timeout(timeout);
    const exchanged = async (): Promise<Outcome> => {
      if (call) return callApp(call, body as Uint8Array);
      const init = { method, body: body ?? null, signal, headers: new Headers(headers?.()) };
      init.headers.set(REQUEST_ID, id);
      if (body) init.headers.set("Content-Type", "application/json");
      const response = await fetch(url, init);
      const incarnation = response.headers.get(HEADER_INCARNATION) ?? undefined;
      return [response.status, new Uint8Array(await response.arrayBuffer()), incarnation];
    };
    try {
      // A timeout of its own: functions of the app ignore the signal, and all later callers would wait for them.
      return (await within(timeout, exchanged())) ?? [LATE, NOTHING];
    } catch (error) {
      if (signal.aborted) return [LATE, NOTHING];
      const reason = (error as Error | undefined)?.message ?? error;
      return [UNREACHABLE, NOTHING, `the source cannot be reached: ${reason}`];
    }
  }

  #line(id: string): RequestLine {
    return requestLine("hubObject", id, this.#env, this.#ctx, this.#settings.log);
  }

  #broken(error: Error, path: string): Response {
    this.#hub = undefined;
    // A trap leaves WebAssembly in an unknown state: the platform makes a new object for the next request.
    if (error instanceof WebAssembly.RuntimeError) this.#ctx.abort(error.message);
    return failure(path, "Storage", error.message, 500);
  }
}

function respond([, status, body]: Failure, headers: HeadersInit = {}): Response {
  return new Response(body, { status, headers });
}

function pause(millis: number): Promise<Outcome> {
  return new Promise((resolve) => setTimeout(resolve, millis, [GO_ON, NOTHING]));
}
