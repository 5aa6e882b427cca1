// A proxy in front of a server that counts, delays, drops and truncates, and can be switched off and on.
import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import { after } from "./cleanup.mjs";
import { listen } from "./ports.mjs";
import { within } from "./store.mjs";

/** The kind of a request. */
export const isLease = ({ path, body }) =>
  /\/hilo\/next$/.test(path) || (/\/multi_get$/.test(path) && /hilo\/next/.test(body));
export const isReturn = ({ path, body }) =>
  /\/(bulk_docs|multi_get)$/.test(path) && /"PATCH"/.test(body) && !isMoveUp(body);
export const isSave = ({ path, body }) => /\/bulk_docs$/.test(path) && /"PUT"/.test(body) && !isCounter(body);
const isCounter = (body) => /"Id":"(Raven|Replication)\/Hi[Ll]o\//.test(body);
/** Whether a request moves a counter to a higher `Max`; a return lowers it. */
const isMoveUp = (body) => {
  const [, high = 0, last] =
    /"Values":\{"fence":"[^"]*",(?:"high":(?:null|"?(-?[\d.]+)"?),)?"last":(\d+)/.exec(body) ?? [];
  return Number(last) > Number(high);
};
/** A connection for changes; once it is open its `status` is 101. */
export const isChanges = ({ path, headers }) => /\/changes$/.test(path) && headers.upgrade === "websocket";
/** The two requests of a lease with the source `document`. */
export const isCounterRead = ({ method, target }) => method === "GET" && /Hi[Ll]o%2F/.test(target);
export const isCounterWrite = ({ path, body }) =>
  /\/bulk_docs$/.test(path) && (/"Type":"PUT"/.test(body) || isMoveUp(body)) && isCounter(body);
/** Whether another client has written the counter first. */
export const isOvertaken = ({ status, responseText }) =>
  status === 409 || /"PatchStatus":"NotModified"/.test(responseText);

/** A proxy to `target`, closed after the test. */
export async function proxy(t, target) {
  const made = new Wire(target);
  await made.on();
  after(t, () => made.off());
  return made;
}

class Wire {
  /** All requests: method, path, query, headers, body; after the response also `status` and `responseText`. */
  requests = [];
  /**
   * Decides about a request: `undefined` forwards it, a promise delays it; `"drop"` closes the connection before the
   * server receives it; `"hole"` neither forwards nor responds; `"lose"` forwards it and drops the response; `{ cut:
   * bytes }` truncates the response; `{ status, body, headers }` responds without the server.
   */
  rule = undefined;
  /** Changes the server's response before it is forwarded: `{ status, headers, body }`. */
  change = undefined;
  /** Both ends of each WebSocket that is open. */
  webSockets = new Set();
  #target;
  #server;
  #port;
  #sockets = new Set();
  #agent = new http.Agent({ keepAlive: true });
  #watchers = new Set();

  constructor(target) {
    this.#target = new URL(target);
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens again on the same port. */
  async on() {
    this.#server = http.createServer((request, response) => this.#take(request, response));
    this.#server.on("upgrade", (request, socket) => this.#upgrade(request, socket));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    if (this.#port === undefined) {
      this.#port = await listen(this.#server);
    } else {
      this.#server.listen(this.#port, "127.0.0.1");
      await once(this.#server, "listening");
    }
  }

  /** Refuses connections and ends open ones, like a server that has stopped. */
  async off() {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    await closed;
  }

  /** Ends all WebSockets, as a server that restarts does. */
  cut() {
    for (const { client, server } of this.webSockets) for (const end of [client, server]) end.destroy();
  }

  /** From now on nothing goes through the open WebSockets, and nobody is told, as when a cable is pulled. */
  silence() {
    for (const { client, server } of this.webSockets) {
      client.unpipe(server);
      server.unpipe(client);
      for (const end of [client, server]) end.resume();
    }
  }

  /** The requests of a kind. */
  of(kind) {
    return this.requests.filter(kind);
  }

  /** The next request of a kind that arrives, or one that has a response if `responded` is set. */
  next(kind, { responded = false, limit = 30_000 } = {}) {
    const seen = new Promise((resolve) => {
      const watcher = (request, done) => {
        if (done !== responded || !kind(request)) return;
        this.#watchers.delete(watcher);
        resolve(request);
      };
      this.#watchers.add(watcher);
    });
    return within(limit, seen, "a request");
  }

  /** The maximum number of concurrent requests of a kind. */
  most(kind) {
    const steps = this.of(kind).flatMap(({ from, to }) => [
      [from, 1],
      [to ?? Number.POSITIVE_INFINITY, -1],
    ]);
    let now = 0;
    let most = 0;
    for (const [, step] of steps.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
      now += step;
      most = Math.max(most, now);
    }
    return most;
  }

  #tell(request, done) {
    for (const watcher of [...this.#watchers]) watcher(request, done);
  }

  async #take(incoming, outgoing) {
    const url = new URL(incoming.url, this.#target);
    const request = {
      method: incoming.method,
      path: url.pathname,
      query: url.searchParams,
      target: incoming.url,
      headers: incoming.headers,
      body: "",
      from: performance.now(),
    };
    outgoing.on("close", () => {
      request.to ??= performance.now();
    });
    const chunks = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    const bytes = Buffer.concat(chunks);
    request.body = bytes.toString();
    this.requests.push(request);
    this.#tell(request, false);
    const rule = await this.rule?.(request);
    if (rule === "hole") return;
    if (rule === "drop") return outgoing.destroy();
    if (rule?.status)
      return this.#respond(outgoing, request, rule.status, rule.headers ?? {}, Buffer.from(rule.body ?? ""));
    try {
      const response = await this.#forward(incoming, bytes);
      this.change?.(response, request);
      const { status, headers, body } = response;
      if (rule === "lose") return outgoing.destroy();
      if (rule?.cut !== undefined) {
        outgoing.writeHead(status, { ...headers, "content-length": body.length });
        outgoing.write(body.subarray(0, rule.cut), () => outgoing.destroy());
        return;
      }
      this.#respond(outgoing, request, status, headers, body);
    } catch {
      outgoing.destroy();
    }
  }

  /** Passes a WebSocket: the request and everything after it as it comes. */
  async #upgrade(incoming, client) {
    client.on("error", () => {});
    const { method, url: target, headers, rawHeaders } = incoming;
    const url = new URL(target, this.#target);
    const request = { method, path: url.pathname, query: url.searchParams, target, headers, body: "" };
    this.requests.push(request);
    this.#tell(request, false);
    const rule = await this.rule?.(request);
    if (rule === "hole") return;
    if (rule === "drop") return client.destroy();
    if (rule?.status) return client.end(`HTTP/1.1 ${rule.status} No\r\nContent-Length: 0\r\n\r\n`);
    const server = connect(this.#target.port, this.#target.hostname);
    const ends = { client, server };
    this.webSockets.add(ends);
    server.on("error", () => client.destroy());
    client.on("close", () => {
      this.webSockets.delete(ends);
      server.destroy();
    });
    server.on("close", () => client.destroy());
    server.once("data", (response) => {
      request.status = Number(String(response).slice(9, 12));
      this.#tell(request, true);
    });
    const lines = rawHeaders.flatMap((name, at) => (at % 2 ? [] : [`${name}: ${rawHeaders[at + 1]}`]));
    const sent = lines.map((line) => line.replace(/^(host): .*/i, `$1: ${this.#target.host}`));
    server.write(`${method} ${target} HTTP/1.1\r\n${sent.join("\r\n")}\r\n\r\n`);
    server.pipe(client).pipe(server);
  }

  #respond(outgoing, request, status, headers, body) {
    request.status = status;
    request.responseText = body.toString();
    request.to = performance.now();
    outgoing.on("finish", () => this.#tell(request, true));
    outgoing.writeHead(status, { ...headers, "content-length": body.length });
    outgoing.end(body);
  }

  #forward(incoming, bytes) {
    const headers = { ...incoming.headers, host: this.#target.host, "content-length": bytes.length };
    delete headers["accept-encoding"];
    delete headers["transfer-encoding"];
    if (bytes.length === 0) delete headers["content-length"];
    return new Promise((resolve, reject) => {
      const sent = http.request(
        {
          agent: this.#agent,
          host: this.#target.hostname,
          port: this.#target.port,
          method: incoming.method,
          path: incoming.url,
          headers,
        },
        async (response) => {
          try {
            const chunks = [];
            for await (const chunk of response) chunks.push(chunk);
            const kept = { ...response.headers };
            for (const name of ["transfer-encoding", "connection", "keep-alive"]) delete kept[name];
            resolve({ status: response.statusCode, headers: kept, body: Buffer.concat(chunks) });
          } catch (error) {
            reject(error);
          }
        },
      );
      sent.on("error", reject);
      sent.end(bytes);
    });
  }
}
