// What the page itself reads from the server for display: plain requests that do not use the package.

const SHOWN = 64;

/** Whether an error, of the page or of the package, means that the server is unreachable. */
export function isOutage(error) {
  return ["Unreachable", "Timeout"].includes(error.code) || error.status >= 502;
}

export class Server {
  #network;
  #root;

  constructor(network, database) {
    this.#network = network;
    this.#root = `/raven/databases/${encodeURIComponent(database)}`;
  }

  /**
   * Returns `max`, the highest number that was leased (0 before the first lease), the most recently written `orders`,
   * and the database's `incarnation`.
   */
  async read() {
    const counter = "id=Raven%2FHilo%2Forders";
    const [counters, documents] = await Promise.all([
      // The counter is requested twice, because a single missing document is a 404, which browsers log as an error.
      this.#get(`${this.#root}/docs?${counter}&${counter}`),
      // RavenDB sorts only the listing without a prefix by time.
      this.#get(`${this.#root}/docs?pageSize=${SHOWN}`),
    ]);
    return {
      max: counters.body.Results[0]?.Max ?? 0,
      orders: documents.body.Results.filter((one) => one["@metadata"]["@collection"] === "Orders"),
      incarnation: counters.incarnation,
    };
  }

  /** A description of the server behind `/raven/`. */
  async name(kind) {
    if (kind !== "RavenDB") return "built-in authority";
    return `RavenDB ${(await this.#get("/raven/build/version")).body.FullVersion}`;
  }

  async #get(path) {
    const response = await this.#network.look(path).catch((cause) => {
      throw Object.assign(new Error("the page's own Worker cannot be reached", { cause }), {
        code: "Unreachable",
      });
    });
    const incarnation = response.headers.get("Database-Cluster-Tx-Id") ?? undefined;
    if (response.ok) return { body: await response.json(), incarnation };
    const body = await response.json().catch(() => ({}));
    throw Object.assign(new Error(body.Message ?? `the server responded with status ${response.status}`), {
      status: response.status,
    });
  }
}
