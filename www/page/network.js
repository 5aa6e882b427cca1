// The page's network. The package's requests go through it, it counts them, and it can be disconnected.

const decode = (body) => (typeof body === "string" ? body : body ? new TextDecoder().decode(body) : "");

/** The purpose of a request of the package. */
function kindOf(url, init) {
  const text = `${url} ${decode(init?.body)}`;
  if (text.includes("hilo/next")) return `lease of ${/tag=(\w+)/.exec(text)[1]}`;
  if (text.includes("/identity/next")) return "identity";
  if (text.includes('"PATCH"')) return "return";
  return text.includes('"PUT"') ? "save" : "other";
}

export class Network {
  #dead = false;
  #sent = new Map();
  /** Whether requests leave the page. */
  online = true;

  /** The `fetch` for the package. */
  fetch = (url, init) => {
    const cut = this.#cut();
    if (cut) return cut;
    const kind = kindOf(url, init);
    this.#sent.set(kind, this.sent(kind) + 1);
    // Sends in the same turn of the event loop: while a page closes there is no other one.
    return fetch(url, init);
  };

  /** Requests of the page itself, which are not counted. */
  look(url) {
    return this.#cut() ?? fetch(url, { cache: "no-store" });
  }

  /** How many requests of a kind were sent. */
  sent(kind) {
    return this.#sent.get(kind) ?? 0;
  }

  /**
   * Simulates a crash: from now on nothing is sent and nothing responds, including the requests of a closing page.
   */
  die() {
    this.#dead = true;
  }

  #cut() {
    if (this.#dead) return new Promise(() => {});
    return this.online ? undefined : Promise.reject(new TypeError("this page is offline"));
  }
}
