// The Worker in front of hubs and RavenDB: leases and returns go to their hubs, all other requests to RavenDB.

import { type HubRoute, hubName, hubRoute } from "../../gen/edge_hub.js";
import { HEADER_INCARNATION, PATH_BATCH, PATH_DATABASES, PATH_TOPOLOGY } from "../../gen/protocol.js";
import { idKey } from "../common/id-key.js";
import type { GatewayContext } from "../gateway/options-types.js";
import { REQUEST_ID, type RequestLine, requestIdOf, requestLine } from "../logging/request-line.js";
import { databaseOf, type Route, split } from "../wire/database-route.js";
import { failure, INCARNATION, INSIDE, NOTHING, PAGE } from "./hub-messages.js";
import type { HubSettings, HubStub, LeaseHubWorker } from "./hub-options.js";

/** Bytes. A larger batch does not consist of returns: a closing page cannot send more. */
const LARGEST = 65_536;

/** The body of a request: its bytes if it may be for a hub. */
type Body = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;

/** A request and its route. */
interface Received<Env> extends Route {
  readonly request: Request;
  readonly body: Body;
  readonly env: Env;
  readonly line: RequestLine;
}

export function workerOf<Env>(settings: HubSettings<Env>): Omit<LeaseHubWorker<Env>, "LeaseHub"> {
  /** The latest incarnation of each database, by the key of its name. */
  const incarnations = new Map<string, string>();
  return {
    fetch: receive,
    release: (env, database, tag) => command(env, database, tag, "release"),
    burn: (env, database, tag) => command(env, database, tag, "burn"),
  };

  async function receive(request: Request, env: Env, context?: GatewayContext): Promise<Response> {
    const line = requestLine("hub", requestIdOf(request.headers), env, context, settings.log, request);
    const response = await respond(request, env, line, context);
    const { status } = response;
    if (status < 400) line.end(status);
    // A connection for changes is passed on as it is.
    if (status === 101) return response;
    const sent = new Response(response.body, response);
    sent.headers.set(REQUEST_ID, line.id);
    if (status >= 400) {
      const error = sent.clone().text();
      const ended = error.catch(() => "").then((body) => line.end(status, body));
      context?.waitUntil(ended);
    }
    return sent;
  }

  async function respond(
    request: Request,
    env: Env,
    line: RequestLine,
    context?: GatewayContext,
  ): Promise<Response> {
    const route = split(request.url);
    if (isForeign(request)) return new Response(null, { status: 403 });
    const database = databaseOf(request.url);
    const body = await read(request, route.path);
    const received = { ...route, request, body, env, line };
    const bytes = ArrayBuffer.isView(body) ? body : NOTHING;
    const hubs = database === undefined ? undefined : hubRoute(request.method, route.target, bytes);
    if (database === undefined || !hubs) return forward(received, database);
    const response = ask(hubs, received, database).finally(() => hubs.free());
    // If the caller goes away, the platform would not continue this, and the route would stay in the module's memory.
    context?.waitUntil(response.catch(() => {}));
    return response;
  }

  function stubOf(env: Env, database: string, tag: string): HubStub {
    const namespace = settings.namespace(env);
    return namespace.get(namespace.idFromName(hubName(database, tag)));
  }

  async function command(env: Env, database: string, tag: string, name: "release" | "burn"): Promise<void> {
    const url = `${INSIDE}/${name}${PATH_DATABASES}${encodeURIComponent(database)}/`;
    const response = await stubOf(env, database, tag).fetch(new Request(url, { method: "POST" }));
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
  }

  /** Sends each hub its part, and combines their responses. */
  async function ask(
    hubs: HubRoute,
    { request, body, env, target, line }: Received<Env>,
    database: string,
  ): Promise<Response> {
    const parts = hubs.parts();
    const [first] = parts;
    // An unfenced return reaches no hub: a second delivery would return numbers that belong to another client by then.
    if (first === undefined) return new Response(null, { status: 200 });
    const incarnation = incarnations.get(idKey(database));
    const send = async ([tag, batch]: [tag: string, batch?: string]) => {
      const headers: Record<string, string> = { [REQUEST_ID]: line.id };
      if (incarnation !== undefined) headers[INCARNATION] = incarnation;
      if (isPage(request)) headers[PAGE] = "1";
      // Without the beginning of the caller's path: an object takes some beginnings for commands.
      const url = `${INSIDE}${batch ? `${PATH_DATABASES}${encodeURIComponent(database)}/${PATH_BATCH}` : target}`;
      const method = batch ? "POST" : request.method;
      const sent = new Request(url, { method, headers, body: batch ?? (method === "GET" ? null : body) });
      return stubOf(env, database, tag).fetch(sent);
    };
    // The platform may end objects at any time; numbers that were lent without a response are a gap.
    const unreachable = (error: Error) => {
      line.note(error);
      return failure(target, "Unreachable", `the hub cannot be reached: ${error.message}`);
    };
    if (!first[1]) return send(first).catch(unreachable);
    const responses = await Promise.allSettled(parts.map(send));
    for (const sent of responses) if (sent.status === "rejected") line.note(sent.reason);
    const bodies = responses.map((sent) =>
      sent.status === "fulfilled" && sent.value.status === 201 ? sent.value.text() : "",
    );
    const wrapped = /\/multi_get$/i.test(new URL(request.url).pathname);
    return new Response(hubs.response(await Promise.all(bodies)), {
      status: wrapped ? 200 : 201,
      headers: { "Content-Type": "application/json; charset=utf-8" },
    });
  }

  /** Forwards a request to RavenDB, and reads from the response which incarnation the database has. */
  async function forward(
    { request, body, env, base, path, target, line }: Received<Env>,
    database: string | undefined,
  ): Promise<Response> {
    const headers = new Headers(request.headers);
    // The origin was checked before.
    for (const name of ["Origin", "Host", INCARNATION, PAGE]) headers.delete(name);
    headers.set(REQUEST_ID, line.id);
    // This response is read here, and workerd does not support zstd.
    if (path === PATH_TOPOLOGY) headers.delete("Accept-Encoding");
    const init: RequestInit = { method: request.method, headers, body, redirect: "manual" };
    let isSent = false;
    let response: Response;
    try {
      const upstream = settings.upstream(env);
      isSent = true;
      response = await upstream.fetch(upstream.urls[0] + target, init);
    } catch (error) {
      line.note(error);
      // Without a type if a save may have arrived: a typed error would say that nothing is saved.
      const code = isSent ? undefined : "Unreachable";
      return failure(target, code, `RavenDB cannot be reached: ${(error as Error).message}`);
    }
    const incarnation = response.headers.get(HEADER_INCARNATION);
    if (incarnation !== null && database !== undefined) incarnations.set(idKey(database), incarnation);
    if (path !== PATH_TOPOLOGY || !response.ok) return response;
    try {
      const topology = (await response.json()) as { Nodes: object[] };
      // A client that knew the servers' own addresses would bypass the hub.
      topology.Nodes = topology.Nodes.slice(0, 1).map((node) => ({ ...node, Url: base }));
      return Response.json(topology);
    } catch (error) {
      const { message } = error as Error;
      line.note(error);
      return failure(target, "BadAnswer", `not a topology of RavenDB: ${message}`, 500);
    }
  }
}

/** Whether a page of another origin has sent it, which RavenDB refuses, too. */
function isForeign(request: Request): boolean {
  const origin = request.headers.get("Origin");
  if (origin === null) return false;
  return !URL.canParse(origin) || new URL(origin).host !== new URL(request.url).host;
}

/** Whether a page has sent it, or a gateway for a page: its device may have numbers that other tabs leased. */
function isPage({ headers }: Request): boolean {
  return ["Origin", "Sec-Fetch-Site", PAGE].some((name) => headers.has(name));
}

/** The bytes of a body that may be for a hub; any other body, and a larger one, is forwarded as a stream. */
async function read({ method, headers, body }: Request, path: string): Promise<Body> {
  if (body === null || method !== "POST" || !/\/(multi_get|bulk_docs)$/i.test(path)) return body;
  const length = Number(headers.get("Content-Length") ?? 0);
  if (length > LARGEST || headers.has("Content-Encoding")) return body;
  // Not every request has a length.
  const [ours, whole] = body.tee();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // The types of the DOM do not say that streams can be iterated.
  for await (const chunk of ours as typeof ours & AsyncIterable<Uint8Array<ArrayBuffer>>) {
    size += chunk.length;
    if (size > LARGEST) return whole;
    chunks.push(chunk);
  }
  await whole.cancel();
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
