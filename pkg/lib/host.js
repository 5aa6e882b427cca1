// What the façade does for Rust: one request with its time limit, the app's listeners, objects of our classes.

import { RavenEdgeError } from "./error.js";

/** What a task is told in place of an HTTP status. */
const GO_ON = 0;
const UNREACHABLE = 1;
const LATE = 2;
const NOTHING = new Uint8Array();
const decoder = new TextDecoder();

export class Host {
  #headers;
  #fetch;
  #isolated;
  #emit;
  #refresh;
  #refreshed;
  #nodes;
  #renewed;
  #incarnation;

  /** `refresh` is called when the server has a newer topology, `renewed` when the database is another one than before. */
  constructor({ headers, fetch, isolated, emit, topology, refresh, nodes, renewed }) {
    this.#headers = headers;
    this.#fetch = fetch;
    this.#isolated = isolated;
    this.#emit = emit;
    this.#refresh = refresh;
    this.#refreshed = !topology;
    this.#nodes = nodes;
    this.#renewed = renewed;
  }

  now() {
    return performance.now() * 1_000;
  }

  random() {
    return Math.floor(Math.random() * 2 ** 53);
  }

  /** One attempt of a request, to be given up after `limit` milliseconds; resolves with what the task wants to know. */
  async send(method, url, body, ifMatch, topologyEtag, limit) {
    const controller = new AbortController();
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(() => {
        resolve([LATE, NOTHING]);
        controller.abort();
      }, limit);
    });
    const answer = async () => {
      const headers = new Headers(this.#headers?.());
      if (body) headers.set("Content-Type", "application/json");
      // workerd drops an empty header; in quotes it means the same: "must not exist".
      if (ifMatch !== undefined) headers.set("If-Match", `"${ifMatch}"`);
      if (topologyEtag >= 0) headers.set("Topology-Etag", `"${topologyEtag}"`);
      const init = { method, headers, body, signal: controller.signal };
      // A lease changes the server although part of it is a GET; Workers know no cache mode.
      if (!this.#isolated) init.cache = "no-store";
      const response = await (this.#fetch ?? fetch)(url, init);
      const bytes = new Uint8Array(await response.arrayBuffer());
      // The first answer of a database that is just being loaded does not say that there is a topology.
      if (response.headers.has("Refresh-Topology") || !this.#refreshed) this.#refresh();
      this.#refreshed = true;
      const incarnation = response.headers.get("Database-Cluster-Tx-Id") ?? undefined;
      if (incarnation) {
        if (this.#incarnation && this.#incarnation !== incarnation) this.#renewed();
        this.#incarnation = incarnation;
      }
      // Smaller numbers mean something else to a task; an opaque answer has status 0.
      if (response.status < 200) throw new Error(`an answer with status ${response.status}`);
      return [response.status, bytes, incarnation];
    };
    try {
      // The app's own `fetch` may not heed the signal.
      return await Promise.race([answer(), late]);
    } catch (error) {
      // Node says "fetch failed" and keeps the reason in the cause.
      const reason = error?.cause?.message || error?.cause?.code;
      const text = `the server cannot be reached: ${error?.message ?? error}${reason ? `: ${reason}` : ""}`;
      return [UNREACHABLE, NOTHING, text + foreign(url)];
    } finally {
      // The timer must not keep the process alive.
      clearTimeout(timer);
    }
  }

  pause(millis) {
    return new Promise((resolve) => setTimeout(resolve, millis, [GO_ON, NOTHING]));
  }

  /** `{"Nodes":[{"Url","ServerRole"}],"Etag"}`: members first, and from a page only what is of its own origin. */
  topology(answer) {
    const text = decoder.decode(answer);
    // Not while Rust is on the stack, which an answer that is no topology would unwind.
    queueMicrotask(() => {
      try {
        const { Etag, Nodes } = JSON.parse(text);
        const page = globalThis.location?.origin;
        const reachable = page?.startsWith("http")
          ? Nodes.filter(({ Url }) => new URL(Url).origin === page)
          : [...Nodes];
        reachable.sort((a, b) => (b.ServerRole === "Member") - (a.ServerRole === "Member"));
        this.#nodes(
          Etag,
          reachable.map(({ Url }) => Url),
        );
      } catch {
        // The addresses in use stay as they are.
      }
    });
  }

  leased(tag, low, high, nodeTag, fenced) {
    this.#emit("lease", { tag, low, high, nodeTag, fenced });
  }

  returned(tag, low, high, applied, error) {
    this.#emit("return", { tag, low, high, applied, error });
  }

  regression(tag, low, high, highest) {
    this.#emit("regression", { tag, low, high, highest });
  }

  error(code, message, type, status, request, outage) {
    return new RavenEdgeError(code, message, { type, status, request, outage });
  }

  conflict(error, id, expectedChangeVector, actualChangeVector) {
    Object.assign(error, { id, expectedChangeVector, actualChangeVector });
  }
}

/** A browser hides RavenDB's refusal of foreign origins behind a network error. */
function foreign(url) {
  const page = globalThis.location?.origin;
  if (!page?.startsWith("http") || new URL(url, page).origin === page) return "";
  return `; RavenDB refuses pages of another origin (${page}): reach it through a path of the page's own`;
}
