// When the connection for changes is tried again at once: after a sign-in (a browser does not say that a connection was refused for want of
// one), when the page is seen again, after a response to a request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Events } from "../../pkg/dist/common/event-listeners.js";
import { ChangesFeed } from "../../pkg/dist/live/changes-feed.js";

/** A feed whose connections are refused by `sockets[…].refuse()`, with one watch. `isConfirmed`: a connection was lost that had worked. */
async function started(t, { isConfirmed } = {}) {
  const sockets = [];
  class Refused {
    #listeners = {};
    constructor() {
      sockets.push(this);
    }
    addEventListener(name, listener) {
      this.#listeners[name] = listener;
    }
    /** The server confirms the watch. */
    confirm() {
      this.#listeners.open();
      this.#listeners.message({ data: JSON.stringify({ Type: "Confirm", CommandId: 1 }) });
    }
    refuse() {
      this.#listeners.close();
    }
    send() {}
    close() {}
  }
  const signIns = new Set();
  const store = {
    urls: ["http://127.0.0.1"],
    path: (route) => `/databases/Shop/${route}`,
    database: "Shop",
    timeout: 15_000,
    options: { webSocket: Refused },
    runtime: {},
    conventions: { disableTopologyUpdates: true },
    offline: {
      onSignedIn(listener) {
        signIns.add(listener);
        return () => signIns.delete(listener);
      },
    },
    events: new Events(),
  };
  const listener = { status() {}, failed() {}, confirmed() {}, resync() {}, changed() {} };
  const page = new EventTarget();
  const seen = { visibilityState: "hidden" };
  const given = { document: seen, addEventListener: page.addEventListener.bind(page) };
  given.removeEventListener = page.removeEventListener.bind(page);
  for (const [name, value] of Object.entries(given))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  const feed = new ChangesFeed(store, undefined, listener);
  t.after(() => {
    feed.dispose();
    assert.equal(signIns.size, 0);
    for (const name of Object.keys(given)) delete globalThis[name];
  });
  feed.watch("orders", { watch: "watch-collection", unwatch: "unwatch-collection", param: "Orders" });
  await turn();
  assert.equal(sockets.length, 1);
  if (isConfirmed) sockets[0].confirm();
  sockets[0].refuse();
  await turn();
  assert.equal(sockets.length, 1, "it pauses");
  return { sockets, signIns, seen, page, store };
}

// Not before the pending promises of this turn have ended, and before any pause.
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a feed whose connection was refused connects at once when the user has signed in", async (t) => {
  const { sockets, signIns } = await started(t);
  for (const signedIn of signIns) signedIn();
  await turn();
  assert.equal(sockets.length, 2);
});

test("a feed whose connection was lost connects at once when the page is seen", async (t) => {
  const { sockets, seen, page } = await started(t);
  page.dispatchEvent(new Event("visibilitychange"));
  await turn();
  assert.equal(sockets.length, 1, "it was hidden");
  seen.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  await turn();
  assert.equal(sockets.length, 2);
});

test("a feed whose connection was lost connects at once when the server has responded to a request", async (t) => {
  // Else a request asks first why the connection was refused.
  const { sockets, store } = await started(t, { isConfirmed: true });
  store.events.emit("succeedRequest");
  await turn();
  assert.equal(sockets.length, 2);
});
