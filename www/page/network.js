// The page's wire: the package sends through it, it counts, and it can be cut.

const decode = (body) => (typeof body === "string" ? body : body ? new TextDecoder().decode(body) : "");

/** What a request of the package is for. */
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

  /** For the package, in place of the global `fetch`. */
  fetch = (url, init) => {
    const cut = this.#cut();
    if (cut) return cut;
    const kind = kindOf(url, init);
    this.#sent.set(kind, this.sent(kind) + 1);
    // In this very turn: as the page goes there is no other one.
    return fetch(url, init);
  };

  /** What the page itself asks to show it: not counted. */
  look(url) {
    return this.#cut() ?? fetch(url, { cache: "no-store" });
  }

  /** How many requests of a kind were sent. */
  sent(kind) {
    return this.#sent.get(kind) ?? 0;
  }

  /** From here on nothing leaves and nothing answers, the last words of a page that goes included: as in a crash. */
  die() {
    this.#dead = true;
  }

  #cut() {
    if (this.#dead) return new Promise(() => {});
    return this.online ? undefined : Promise.reject(new TypeError("this page is offline"));
  }
}
