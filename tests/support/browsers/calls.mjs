// Numbered calls in JSON: the protocols of Chromium and Firefox have this form, so our WebKit windows use it too.
import WebSocket from "ws";
import { within } from "../store.mjs";

/** Timeout of a call to a browser, in milliseconds. */
export const LIMIT = 60_000;

export class Calls {
  #write;
  #waiting = new Map();
  #watchers = new Set();
  #last = 0;

  /** `write` sends a text; pass received texts to `take`. */
  constructor(write) {
    this.#write = write;
  }

  /** The response to a method; `more` are members besides its parameters. */
  call(method, params = {}, more = {}) {
    const id = ++this.#last;
    const response = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#write(JSON.stringify({ id, method, params, ...more }));
    return within(LIMIT, response, `the response to ${method}`);
  }

  /** The next event that `fits`; call it before the action that causes the event. */
  event(fits, what) {
    let watcher;
    const seen = new Promise((resolve, reject) => {
      watcher = { fits, resolve, reject };
      this.#watchers.add(watcher);
    });
    return within(LIMIT, seen, what).finally(() => this.#watchers.delete(watcher));
  }

  /** Processes a text from the browser. */
  take(text) {
    const message = JSON.parse(text);
    if (message.id === undefined) {
      for (const watcher of this.#watchers) if (watcher.fits(message)) watcher.resolve(message);
      return;
    }
    const call = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) call?.resolve(message.result);
    else call?.reject(new Error(message.message ?? message.error.message));
  }

  /** Rejects all pending calls: nothing will arrive any more. */
  end() {
    const error = new Error("the browser has ended");
    for (const { reject } of [...this.#waiting.values(), ...this.#watchers]) reject(error);
    this.#waiting.clear();
  }
}

/** Calls over a WebSocket. */
export async function connect(url) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const calls = new Calls((text) => socket.send(text));
  socket.on("message", (data) => calls.take(data));
  socket.on("close", () => calls.end());
  await new Promise((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
  });
  return calls;
}

/** The text of an expression that calls the function in a page and serializes its result as JSON. */
export const source = (f, values) =>
  `(async () => JSON.stringify(await (${f})(...${JSON.stringify(values)})))()`;

/** The value of such a result. */
export const value = (json) => (json === undefined ? undefined : JSON.parse(json));
