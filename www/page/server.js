// What the page reads from the server to show it: plain requests, no part of the package.

const SHOWN = 64;

/** Whether an error, ours or the package's, means that nobody answers. */
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
   * `max`, the highest number that is leased out (0 before the first lease), the `orders` written last, and which
   * `incarnation` of the database this is.
   */
  async read() {
    const counter = "id=Raven%2FHilo%2Forders";
    const [counters, documents] = await Promise.all([
      // Asked for twice: one missing document alone is a 404, which browsers report as an error.
      this.#get(`${this.#root}/docs?${counter}&${counter}`),
      // A listing without a prefix is the one that RavenDB sorts by time.
      this.#get(`${this.#root}/docs?pageSize=${SHOWN}`),
    ]);
    return {
      max: counters.body.Results[0]?.Max ?? 0,
      orders: documents.body.Results.filter((one) => one["@metadata"]["@collection"] === "Orders"),
      incarnation: counters.incarnation,
    };
  }

  /** What answers behind `/raven/`, in words. */
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
    throw Object.assign(new Error(body.Message ?? `the server answered with status ${response.status}`), {
      status: response.status,
    });
  }
}
