// A proxy in front of a server that counts, delays, drops, cuts, and can be switched off and on.
import http from "node:http";
import { after } from "./cleanup.mjs";
import { within } from "./store.mjs";

/** What a request is for. */
export const isLease = ({ path, body }) =>
  /\/hilo\/next$/.test(path) || (/\/multi_get$/.test(path) && /hilo\/next/.test(body));
export const isReturn = ({ path, body }) =>
  /\/(bulk_docs|multi_get)$/.test(path) && /"PATCH"/.test(body) && !isMoveUp(body);
export const isSave = ({ path, body }) => /\/bulk_docs$/.test(path) && /"PUT"/.test(body) && !isCounter(body);
const isCounter = (body) => /"Id":"(Raven|Replication)\/Hi[Ll]o\//.test(body);
/** The move of a counter to a higher `Max`; down it goes with a return. */
const isMoveUp = (body) => {
  const [, high = 0, last] =
    /"Values":\{"fence":"[^"]*",(?:"high":(?:null|"?(-?[\d.]+)"?),)?"last":(\d+)/.exec(body) ?? [];
  return Number(last) > Number(high);
};
/** The two halves of a lease of the source `document`. */
export const isCounterRead = ({ method, target }) => method === "GET" && /Hi[Ll]o%2F/.test(target);
export const isCounterWrite = ({ path, body }) =>
  /\/bulk_docs$/.test(path) && (/"Type":"PUT"/.test(body) || isMoveUp(body)) && isCounter(body);
/** Whether somebody else wrote the counter first. */
export const isOvertaken = ({ status, answer }) =>
  status === 409 || /"PatchStatus":"NotModified"/.test(answer);

/** A proxy to `target`, closed after the test. */
export async function proxy(t, target) {
  const made = new Wire(target);
  await made.on();
  after(t, () => made.off());
  return made;
}

class Wire {
  /** All requests: method, path, query, headers, body, and once answered `status` and `answer`. */
  requests = [];
  /**
   * Decides what becomes of a request: nothing or `undefined` (it passes), a promise of that (it waits), or
   * `"drop"` (the connection is closed before the server sees it), `"hole"` (never answered, never forwarded),
   * `"lose"` (forwarded, its answer dropped), `{ cut: bytes }` (only that much of the answer arrives),
   * `{ status, body, headers }` (answered here).
   */
  rule = undefined;
  /** Changes what the server answered before it goes on: `{ status, headers, body }`. */
  change = undefined;
  #target;
  #server;
  #port = 0;
  #sockets = new Set();
  #agent = new http.Agent({ keepAlive: true });
  #watchers = new Set();

  constructor(target) {
    this.#target = new URL(target);
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, on the same port as before. */
  async on() {
    this.#server = http.createServer((request, response) => this.#take(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise((resolve, reject) => {
      this.#server.on("error", reject);
      this.#server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = this.#server.address().port;
  }

  /** Refuses connections and ends the open ones, as a server that stopped. */
  async off() {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    await closed;
  }

  /** The requests of a kind. */
  of(kind) {
    return this.requests.filter(kind);
  }

  /** The next request of a kind that arrives, or one that was answered when `answered` is set. */
  next(kind, { answered = false, limit = 10_000 } = {}) {
    const seen = new Promise((resolve) => {
      const watcher = (request, done) => {
        if (done !== answered || !kind(request)) return;
        this.#watchers.delete(watcher);
        resolve(request);
      };
      this.#watchers.add(watcher);
    });
    return within(limit, seen, "a request");
  }

  /** How many requests of a kind were under way at the same time at most. */
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
      return this.#answer(outgoing, request, rule.status, rule.headers ?? {}, Buffer.from(rule.body ?? ""));
    try {
      const answer = await this.#forward(incoming, bytes);
      this.change?.(answer, request);
      const { status, headers, body } = answer;
      if (rule === "lose") return outgoing.destroy();
      if (rule?.cut !== undefined) {
        outgoing.writeHead(status, { ...headers, "content-length": body.length });
        outgoing.write(body.subarray(0, rule.cut), () => outgoing.destroy());
        return;
      }
      this.#answer(outgoing, request, status, headers, body);
    } catch {
      outgoing.destroy();
    }
  }

  #answer(outgoing, request, status, headers, body) {
    request.status = status;
    request.answer = body.toString();
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
        async (answer) => {
          try {
            const chunks = [];
            for await (const chunk of answer) chunks.push(chunk);
            const kept = { ...answer.headers };
            for (const name of ["transfer-encoding", "connection", "keep-alive"]) delete kept[name];
            resolve({ status: answer.statusCode, headers: kept, body: Buffer.concat(chunks) });
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
