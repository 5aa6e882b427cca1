// The lease hub for Workers: the shell of its Durable Object, and the Worker in front of hubs and RavenDB. What numbers
// go where is decided in Rust; here requests are passed on and transactions made.

import { Hub, hubName, hubRoute, initSync } from "../../gen/edge_hub.js";
import wasm from "../../gen/edge_hub_bg.wasm";
import { HEADER_INCARNATION, PATH_BATCH, PATH_DATABASES, PATH_TOPOLOGY } from "../../gen/protocol.js";
import { idKey } from "../common/id-key.js";
import { within } from "../common/timeout.js";
import { settle } from "../numbers/hub-options.js";
import { callApp } from "../numbers/number-source.js";
import { databaseOf, split } from "../wire/database-route.js";

initSync({ module: wasm });

/** Between the Worker and its objects alone: what the Worker last heard of the database; that a page sends it. */
const HEARD = "raven-edge-incarnation";
const PAGE = "raven-edge-page";
/** Where an object is called, and nobody else is. */
const INSIDE = "https://hub";
/** A larger batch is no batch of returns: a page cannot send more as it goes. */
const LARGEST = 65_536;
/** What a conversation is told in place of an HTTP status. */
const [GO_ON, UNREACHABLE, LATE] = [0, 1, 2];
const NOTHING = new Uint8Array();

/** A hub: the Worker's `fetch`, and the class of the objects. */
export function hub(options) {
  const settings = settle(options);
  const heard = new Map();
  return {
    fetch: (request, env, context) => front(request, env, context, settings, heard),
    release: (env, database, tag) => command(env, settings, database, tag, "release"),
    burn: (env, database, tag) => command(env, settings, database, tag, "burn"),
    LeaseHub: class LeaseHub extends HubObject {
      constructor(ctx, env) {
        super(ctx, env, settings);
      }
    },
  };
}

function stubOf(env, settings, database, tag) {
  const namespace = settings.namespace(env);
  return namespace.get(namespace.idFromName(hubName(database, tag)));
}

async function command(env, settings, database, tag, what) {
  const url = `${INSIDE}/${what}${PATH_DATABASES}${encodeURIComponent(database)}/`;
  const answer = await stubOf(env, settings, database, tag).fetch(new Request(url, { method: "POST" }));
  if (!answer.ok) throw new Error(`${what}: ${await answer.text()}`);
}

/** Leases and returns go to their hubs, everything else to RavenDB. */
async function front(request, env, context, settings, heard) {
  const { base, path, target } = split(request.url);
  if (isForeign(request)) return new Response(null, { status: 403 });
  const database = databaseOf(request.url);
  const body = await read(request, path);
  const bytes = body instanceof Uint8Array ? body : NOTHING;
  const route = database !== undefined && hubRoute(request.method, target, bytes);
  if (!route) return forward(request, body, env, settings, heard, { base, path, target, database });
  const known = heard.get(idKey(database));
  const answer = ask(route, request, body, env, settings, known, { target, database }).finally(() =>
    route.free(),
  );
  // Where the caller goes away the platform would never go on with this, and the route would stay in the module's memory.
  context?.waitUntil(answer.catch(() => {}));
  return answer;
}

/** Whether a page of another origin sends it, which RavenDB refuses, too. */
function isForeign(request) {
  const origin = request.headers.get("Origin");
  if (origin === null) return false;
  return !URL.canParse(origin) || new URL(origin).host !== new URL(request.url).host;
}

/** Whether a page sends it, or a gateway says so: its device may have numbers that other tabs leased. */
function isPage({ headers }) {
  return ["Origin", "Sec-Fetch-Site", PAGE].some((name) => headers.has(name));
}

/** The bytes of a body that may be for a hub; any other, and a larger one, goes on as it comes. */
async function read({ method, headers, body }, path) {
  if (body === null || method !== "POST" || !/\/(multi_get|bulk_docs)$/i.test(path)) return body;
  const length = Number(headers.get("Content-Length") ?? 0);
  if (length > LARGEST || headers.has("Content-Encoding")) return body;
  // Not every request says how long it is.
  const [ours, whole] = body.tee();
  const chunks = [];
  let size = 0;
  for await (const chunk of ours) {
    size += chunk.length;
    if (size > LARGEST) return whole;
    chunks.push(chunk);
  }
  await whole.cancel();
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Sends each hub its part, and makes one answer of theirs. */
async function ask(route, request, body, env, settings, incarnation, { target, database }) {
  const parts = route.parts();
  // An unfenced return: nobody hears of it, for a second delivery would give away what is somebody else's by then.
  if (parts.length === 0) return new Response(null, { status: 200 });
  const send = async ({ tag, batch }) => {
    const headers = incarnation === undefined ? {} : { [HEARD]: incarnation };
    if (isPage(request)) headers[PAGE] = "1";
    // Not what the caller's path begins with: an object takes some beginnings for commands.
    const url = `${INSIDE}${batch ? `${PATH_DATABASES}${encodeURIComponent(database)}/${PATH_BATCH}` : target}`;
    const method = batch ? "POST" : request.method;
    const sent = new Request(url, { method, headers, body: batch ?? (method === "GET" ? undefined : body) });
    return stubOf(env, settings, database, tag).fetch(sent);
  };
  const [first] = parts;
  // The platform ends objects when it likes; numbers that were lent in vain are a gap.
  const gone = ({ message }) => failure(target, "Unreachable", `the hub cannot be reached: ${message}`);
  if (!first.batch) return send(first).catch(gone);
  const answers = await Promise.allSettled(parts.map(send));
  const bodies = answers.map(({ value }) => (value?.status === 201 ? value.text() : ""));
  const wrapped = /\/multi_get$/i.test(new URL(request.url).pathname);
  return new Response(route.answer(await Promise.all(bodies)), {
    status: wrapped ? 200 : 201,
    headers: { "Content-Type": "application/json; charset=utf-8" },
  });
}

/** Sends a request to RavenDB as it is, and hears which incarnation of the database answers. */
async function forward(request, body, env, settings, heard, { base, path, target, database }) {
  const headers = new Headers(request.headers);
  // Whose page this is was checked before.
  for (const name of ["Origin", "Host", HEARD, PAGE]) headers.delete(name);
  // This answer is read here, and workerd knows no zstd.
  if (path === PATH_TOPOLOGY) headers.delete("Accept-Encoding");
  const init = { method: request.method, headers, body, redirect: "manual" };
  let answer;
  try {
    const { urls, fetch } = settings.upstream(env);
    answer = await fetch(urls[0] + target, init);
  } catch (error) {
    return failure(target, "Unreachable", `RavenDB cannot be reached: ${error.message}`);
  }
  const incarnation = answer.headers.get(HEADER_INCARNATION);
  if (incarnation !== null && database !== undefined) heard.set(idKey(database), incarnation);
  if (path !== PATH_TOPOLOGY || !answer.ok) return answer;
  try {
    const topology = await answer.json();
    // A client that knew the servers' own addresses would go past the hub.
    topology.Nodes = topology.Nodes.slice(0, 1).map((node) => ({ ...node, Url: base }));
    return Response.json(topology);
  } catch (error) {
    return failure(target, "BadAnswer", `the topology is none of RavenDB's: ${error.message}`, 500);
  }
}

/** An answer in the form of RavenDB's own errors; its code is stable. */
function failure(url, code, message, status = 503) {
  return Response.json(
    { Url: url, Type: `RavenEdge.Hub.${code}`, Message: message, Error: message },
    { status },
  );
}

/** One counter: what it holds is in its SQLite, written before anything is answered or sent. */
class HubObject {
  #ctx;
  #env;
  #settings;
  #hub;
  #talk;
  #alarmed = false;

  constructor(ctx, env, settings) {
    this.#ctx = ctx;
    this.#env = env;
    this.#settings = settings;
  }

  async fetch(request) {
    const { path, target } = split(request.url);
    const { pathname } = new URL(request.url);
    try {
      if (pathname.startsWith("/release/")) return await this.#release();
      if (pathname.startsWith("/burn/")) return this.#burn();
      const body = new Uint8Array(await request.arrayBuffer());
      const heard = request.headers.get(HEARD) ?? undefined;
      const page = request.headers.has(PAGE);
      for (;;) {
        const answer = this.#write((hub) =>
          hub.handle(request.method, target, body, heard, page, Date.now()),
        );
        if (answer) return this.#answer(answer);
        const failed = await this.#refill();
        if (failed) return new Response(failed.body, { status: failed.status, headers: JSON_TYPE });
      }
    } catch (error) {
      return this.#broken(error, path);
    }
  }

  /** Idle: what is left goes back. */
  async alarm() {
    const idle = Date.now() - this.#write((hub) => hub.lentAt());
    if (idle < this.#settings.idle) return this.#wake(this.#settings.idle - idle);
    this.#alarmed = false;
    await this.#converse((hub) => hub.giveBack(Date.now()));
  }

  #answer({ status, body, incarnation, low }) {
    // Ahead of need; those who find nothing left wait for the same range.
    if (low) this.#ctx.waitUntil(this.#refill().catch(() => {}));
    if (!this.#alarmed) this.#wake(this.#settings.idle);
    return new Response(body, {
      status,
      headers: incarnation === undefined ? JSON_TYPE : { ...JSON_TYPE, [HEADER_INCARNATION]: incarnation },
    });
  }

  #wake(after) {
    this.#alarmed = true;
    if (Number.isFinite(after)) return this.#ctx.storage.setAlarm(Date.now() + after);
  }

  async #release() {
    const failed = await this.#converse((hub) => hub.giveBack(Date.now()));
    return failed ? new Response(failed.body, { status: failed.status }) : new Response(null);
  }

  #burn() {
    this.#write((hub) => hub.burn());
    return new Response(null);
  }

  /** One transaction: an error undoes all of it, and memory is read anew. */
  #write(change) {
    return this.#ctx.storage.transactionSync(() => {
      this.#hub ??= new Hub(this.#ctx.storage.sql, this.#settings.config(this.#env));
      return change(this.#hub);
    });
  }

  /** One range for all who wait; gives the answer for them where there is none. */
  #refill() {
    this.#refilling ??= this.#converse((hub) => hub.refill(Date.now())).finally(() => {
      this.#refilling = undefined;
    });
    return this.#refilling;
  }

  #refilling;

  /** A conversation with the source, after the one under way: a hub has one at a time. */
  async #converse(begin) {
    const before = this.#talk;
    const talk = (async () => {
      await before?.catch(() => {});
      let next = this.#write(begin);
      while (next && !next.failed) {
        const came = next.send ? await this.#send(next.send) : await pause(next.pause);
        const [status, body, text] = came;
        next = this.#write((hub) => hub.step(status, body, text, Date.now()));
      }
      return next?.failed;
    })();
    this.#talk = talk;
    return talk;
  }

  /** Sends one request; resolves with what the conversation wants to know. */
  async #send({ method, url, body, limit }) {
    const call = this.#settings.call?.[url];
    const { fetch, headers } = this.#settings.upstream(this.#env);
    const signal = AbortSignal.timeout(limit);
    const answered = async () => {
      if (call) return callApp(call, body);
      const init = { method, body, signal, headers: new Headers(headers?.()) };
      if (body) init.headers.set("Content-Type", "application/json");
      const answer = await fetch(url, init);
      const incarnation = answer.headers.get(HEADER_INCARNATION) ?? undefined;
      return [answer.status, new Uint8Array(await answer.arrayBuffer()), incarnation];
    };
    try {
      // The app's functions do not heed the signal, and all who come later would wait for them.
      return (await within(limit, answered())) ?? [LATE, NOTHING, undefined];
    } catch (error) {
      if (signal.aborted) return [LATE, NOTHING, undefined];
      return [UNREACHABLE, NOTHING, `the source cannot be reached: ${error?.message ?? error}`];
    }
  }

  #broken(error, path) {
    this.#hub = undefined;
    // A trap leaves the wasm in an unknown state: this object starts anew with the next request.
    if (error instanceof WebAssembly.RuntimeError) this.#ctx.abort(error.message);
    return failure(path, "Storage", error.message, 500);
  }
}

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" };

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis, [GO_ON, NOTHING, undefined]));
