// What the façade does for Rust: one request with its time limit, the app's listeners, objects of our classes.

import { REPLY_LATE, REPLY_PROCEED, REPLY_UNREACHABLE, REPLY_UNSENT } from "../gen/protocol.js";
import { decoder, encoder } from "../hot/text.js";
import { RavenEdgeError } from "./error.js";
import { isText } from "./given.js";
import { assertSendable } from "./options.js";
import { callApp } from "./source.js";
import { within } from "./timeout.js";

const NOTHING = new Uint8Array();
/** Codes by which Node says that nobody was there to connect to, so nothing was sent. Browsers do not tell. */
const REFUSED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;
/** Routes of answers that may have no end. */
const STREAM = /\/databases\/[^/]+\/streams\//;

export class Host {
  #store;
  #refreshed;
  #incarnation;
  /** Whether requests have to outlive the page, which is going. */
  parting = false;

  /**
   * What a store gives: `fetch` is called in place of the platform's, `ownFetch` says that it is the app's; `refresh` is called
   * when the server has a newer topology, `heard` when an answer tells an
   * incarnation that the last one did not; `move` makes a move of the pool; `own` has the paths that are calls of the app;
   * `page` is what sends requests, where one does; `cache` keeps answers; `settings` are what the server wants of its clients,
   * and can be read again.
   */
  constructor(store) {
    this.#store = store;
    this.#refreshed = !store.topology;
  }

  now() {
    return performance.now() * 1_000;
  }

  random() {
    return Math.floor(Math.random() * 2 ** 53);
  }

  /** One attempt of a request, to be given up after `limit` milliseconds; resolves with what the task wants to know. */
  async send(method, url, body, ifMatch, topologyEtag, limit) {
    const { own, headers: given, isolated, emit, cache, settings, page, ownFetch, ...store } = this.#store;
    const call = own?.[url];
    // Nobody will hear what becomes of it.
    if (this.parting && !call && !given && !store.fetch && page.beacon(url, body)) return Promise.reject();
    const controller = new AbortController();
    const request = { url, method, database: store.database };
    const key = cache?.key(method, url, body);
    let sent = false;
    const answer = async (known) => {
      // Another `fetch` may send what the platform's does not.
      if (!store.fetch) assertSendable(url);
      const headers = new Headers(given?.());
      if (body) headers.set("Content-Type", "application/json");
      // workerd drops an empty header; in quotes it means the same: "must not exist".
      if (ifMatch !== undefined) headers.set("If-Match", `"${ifMatch}"`);
      // Without it the server ignores the change vectors of a cluster-wide transaction, which is known by its id.
      if (url.includes("raft-request-id=")) headers.set("Raven-Client-Version", "7.2.7.0");
      if (topologyEtag >= 0) headers.set("Topology-Etag", `"${topologyEtag}"`);
      if (settings) headers.set("Client-Configuration-Etag", `"${settings.etag}"`);
      if (known) headers.set("If-None-Match", `"${known.etag}"`);
      const init = { method, headers, body, signal: controller.signal };
      // A lease changes the server although part of it is a GET; Workers know no cache mode.
      if (!isolated) init.cache = "no-store";
      if (this.parting) init.keepalive = true;
      const under = this.#incarnation;
      emit("beforeRequest", { ...request });
      sent = true;
      const response = await (store.fetch ?? fetch)(url, init);
      const bytes = await contents(method, url, response, controller);
      // The first answer of a database that is just being loaded does not say that there is a topology.
      if (response.headers.has("Refresh-Topology") || !this.#refreshed) store.refresh();
      this.#refreshed = true;
      if (response.headers.has("Refresh-Client-Configuration")) settings?.refresh();
      const incarnation = response.headers.get("Database-Cluster-Tx-Id") ?? undefined;
      // An answer that was on its way while another one told of a new incarnation may be of the old one.
      if (incarnation && under === this.#incarnation && under !== incarnation) {
        this.#incarnation = incarnation;
        store.heard(incarnation);
      }
      // Smaller numbers mean something else to a task; an opaque answer has status 0.
      if (response.status < 200) throw new Error(`an answer with status ${response.status}`);
      if (response.ok || response.status === 304) emit("succeedRequest", { ...request, response });
      if (known && response.status === 304) {
        // Another database, in which the same change vector may stand for something else.
        return incarnation === known.incarnation ? [200, known.bytes, incarnation] : answer();
      }
      // A stream has no bytes to keep.
      const etag = key && response.status === 200 && !bytes.stream && response.headers.get("ETag");
      if (etag) cache.keep(key, etag, bytes, incarnation);
      return [response.status, bytes, incarnation];
    };
    try {
      const answered = call ? callApp(call, body) : answer(key && cache.find(key, this.#incarnation));
      const result = await within(limit, answered);
      if (result) return result;
      // The app's own `fetch` may not heed the signal.
      controller.abort();
      if (!call)
        emit("failedRequest", {
          ...request,
          error: new RavenEdgeError("Timeout", `no answer within ${limit} ms`),
        });
      return [REPLY_LATE, NOTHING];
    } catch (error) {
      if (call) return [REPLY_UNREACHABLE, NOTHING, `the source failed: ${error?.message ?? error}`];
      // Node says "fetch failed" and keeps the reason in the cause.
      const reason = error?.cause?.message || error?.cause?.code;
      emit("failedRequest", { ...request, error });
      const text = `the server ${nodeOf(url)} cannot be reached: ${error?.message ?? error}${reason ? `: ${reason}` : ""}`;
      // The app's own `fetch` may have sent it before, and fail with the reason of its second attempt.
      const arrived = sent && (ownFetch || !REFUSED.test(error?.cause?.code));
      return [
        arrived ? REPLY_UNREACHABLE : REPLY_UNSENT,
        NOTHING,
        text + ((sent && page?.foreign(url)) || ""),
      ];
    }
  }

  /** What moves numbers between memory and the pool, given a way to ask the task what to do with the record. */
  move(tag, strict) {
    return (enter) =>
      this.#store.move(tag, strict, this.#incarnation, (...record) => enter("decide", record));
  }

  pause(millis) {
    return new Promise((resolve) => setTimeout(resolve, millis, [REPLY_PROCEED, NOTHING]));
  }

  /** `{"Nodes":[{"Url","ServerRole"}],"Etag"}`: members first, and from a page only what is of its own origin. */
  topology(answer) {
    const text = decoder.decode(answer);
    // Not while Rust is on the stack, which an answer that is no topology would unwind.
    queueMicrotask(() => {
      try {
        const { Etag, Nodes } = JSON.parse(text);
        const { page } = this.#store;
        // A node that is just being added has no address yet.
        const reachable = Nodes.filter(({ Url }) => Url && !page?.foreign(new URL(Url).href));
        reachable.sort((a, b) => (b.ServerRole === "Member") - (a.ServerRole === "Member"));
        this.#store.nodes(
          Etag,
          reachable.map(({ Url }) => Url),
        );
      } catch {
        // The addresses in use stay as they are.
      }
    });
  }

  leased(tag, low, high, nodeTag, fenced) {
    this.#store.emit("lease", { tag, low, high, nodeTag, fenced });
  }

  returned(tag, low, high, applied, error) {
    this.#store.emit("return", { tag, low, high, applied, error });
  }

  regression(tag, low, high, highest) {
    this.#store.emit("regression", { tag, low, high, highest });
  }

  /** `body` is what the server said, if it said anything; `unsent`: nothing has left. */
  error(code, message, body, status, request, outage, unsent) {
    let said = {};
    const text = decoder.decode(body);
    try {
      said = Object(JSON.parse(text));
    } catch {
      // A proxy's page, or nothing.
    }
    const told = code === "Server" || code === "Concurrency";
    // What is no text may throw when it is made one, which would unwind Rust.
    const [type, words, trace] = [said.Type, said.Message, said.Error].map(
      (member) => isText(member) && member,
    );
    const error = new RavenEdgeError(code, told ? words || bare(status, text) : message, {
      type,
      status,
      request,
      outage,
      unsent,
      // Documents on other shards may be saved although this one was refused. No member of the response says so.
      sharded: /\.Sharding\./.test(trace),
    });
    if (code === "Concurrency") {
      const { Id, ConcurrencyViolations, ExpectedChangeVector, ActualChangeVector } = said;
      // A cluster-wide transaction names what guards the document.
      const guard = ConcurrencyViolations?.[0]?.Id?.replace?.(/^rvn-atomic\//, "");
      Object.assign(error, {
        id: Id ?? guard ?? "",
        expectedChangeVector: ExpectedChangeVector ?? undefined,
        actualChangeVector: ActualChangeVector ?? undefined,
      });
    }
    return error;
  }
}

/** What an answer says: its bytes, or what gives the bytes of a stream, which whoever asked reads piece by piece. */
async function contents(method, url, response, controller) {
  // What a HEAD tells stands in a header.
  if (method === "HEAD") return encoder.encode(response.headers.get("ETag") ?? "");
  if (response.status === 200 && response.body && STREAM.test(url))
    return { stream: response.body, abort: () => controller.abort() };
  return new Uint8Array(await response.arrayBuffer());
}

/** What is said of an answer that says nothing itself. */
export function bare(status, text) {
  if (/^\s*</.test(text))
    return `a page came (status ${status}), and no answer of RavenDB: is this path forwarded to it?`;
  const hint = {
    404: "; check the address, the database name, and what forwards this path",
    414: "; the request line is too long",
    502: "; what stands before RavenDB did not reach it",
  }[status];
  return `the server answered with status ${status} and no message${hint ?? ""}`;
}

/** The address of a node, as the app gave it. */
function nodeOf(url) {
  return url.replace(/\/(databases\/|topology\?).*$/s, "");
}
