// A server in the same process whose time is subtracted: the rest is the client's work.
import { cpu } from "./rounds.mjs";

/** Number of documents that a query finds. */
export const QUERY = 1_000;

// Node loads its `fetch` on first use, which is not a cost of the clients.
await new Response(new Blob(["{}"]).stream(), { headers: new Headers() }).json();

const encoder = new TextEncoder();
const VECTOR = "F9GIcvLYUUm7BrLVOtbSJg";

/** The response to a load of the first `count` documents. */
function stored(kind, count) {
  const Results = Array.from({ length: count }, (_, i) => ({
    ...kind.stored(i),
    "@metadata": {
      ...kind.metadata,
      "@collection": "Orders",
      "@change-vector": `A:${1_000 + i}-${VECTOR}`,
      "@id": `orders/${i + 1}-A`,
      "@last-modified": "2026-11-20T10:00:00.0000000Z",
    },
  }));
  return encoder.encode(JSON.stringify({ Results, Includes: {} }));
}

/** The response to a query that finds the first `count` documents. */
function found(kind, count) {
  const beside = {
    TotalResults: count,
    ScannedResults: 0,
    SkippedResults: 0,
    DurationInMs: 1,
    IncludedPaths: null,
    IndexName: "Auto/Orders/Byfreight",
    IndexTimestamp: "2026-11-21T10:00:00.0000000Z",
    LastQueryTime: "2026-11-21T10:00:00.0000000Z",
    IsStale: false,
    ResultEtag: 5_173_264_791,
    NodeTag: "A",
  };
  const { Results, Includes } = JSON.parse(new TextDecoder().decode(stored(kind, count)));
  return encoder.encode(JSON.stringify({ ...beside, Results, Includes }));
}

/** The response to a save of documents under the first `count` ids. */
function saved(count) {
  const Results = Array.from({ length: count }, (_, i) => ({
    Type: "PUT",
    "@id": `orders/${i + 1}-A`,
    "@collection": "Orders",
    "@change-vector": `A:${9_000 + i}-${VECTOR}`,
    "@last-modified": "2026-11-21T10:00:00.0000000Z",
  }));
  return encoder.encode(JSON.stringify({ Results }));
}

/** A response whose body costs only its bytes: the work of `fetch` itself belongs to the transport. */
class Answer {
  #bytes;
  ok = true;
  statusText = "";
  headers = new Headers({ "Content-Type": "application/json", "Database-Cluster-Tx-Id": "bench" });

  constructor(status, bytes) {
    this.status = status;
    this.#bytes = bytes;
  }

  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }

  async text() {
    return new TextDecoder().decode(this.#bytes);
  }

  async json() {
    return JSON.parse(await this.text());
  }

  get body() {
    return new Response(this.#bytes).body;
  }
}

/** A `fetch` for clients, and the CPU microseconds that it took. */
export function transport(kind, count) {
  const responses = { stored: stored(kind, count), saved: saved(count), found: found(kind, QUERY) };
  const clock = { spent: 0, bodies: [] };
  let low = 1;
  const lease = (size) => {
    const range = { Prefix: "orders/", Low: low, High: low + size - 1, LastSize: size, ServerTag: "A" };
    low += size;
    return { ...range, LastRangeAt: "2026-11-21T10:00:00.0000000Z" };
  };
  const reply = (status, body) => new Answer(status, typeof body === "string" ? encoder.encode(body) : body);
  const response = (url, body) => {
    if (url.includes("/bulk_docs")) {
      clock.bodies.push(body);
      return reply(201, responses.saved);
    }
    if (url.includes("/queries")) return reply(200, responses.found);
    if (url.includes("/docs")) return reply(200, responses.stored);
    if (url.includes("/multi_get")) {
      const max = {
        Max: low + count - 1,
        "@metadata": {
          "@id": "Raven/Hilo/orders",
          "@change-vector": `A:1-${VECTOR}`,
          "@last-modified": "2026",
        },
      };
      const results = [
        { StatusCode: 201, Result: lease(count) },
        { StatusCode: 200, Result: { Results: [max] } },
      ];
      return reply(200, JSON.stringify({ Results: results }));
    }
    if (url.includes("/hilo/next")) return reply(200, JSON.stringify(lease(count)));
    if (url.includes("/topology")) return reply(200, JSON.stringify({ Nodes: [], Etag: 1 }));
    return reply(200, "{}");
  };
  const fetch = async (input, init = {}) => {
    // A string must be encoded in some place; bytes are only copied.
    const body = typeof init.body === "string" ? encoder.encode(init.body) : init.body?.slice();
    const start = cpu();
    const made = response(String(input?.url ?? input), body);
    clock.spent += cpu() - start;
    return made;
  };
  return { fetch, clock };
}
