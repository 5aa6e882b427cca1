// The connection for changes after a sign-in: a browser does not say that a connection was refused for want of one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Events } from "../../pkg/dist/common/event-listeners.js";
import { ChangesFeed } from "../../pkg/dist/live/changes-feed.js";

test("a feed whose connection was refused connects at once when the user has signed in", async () => {
  const sockets = [];
  class Refused {
    #closed;
    constructor() {
      sockets.push(this);
    }
    addEventListener(name, listener) {
      if (name === "close") this.#closed = listener;
    }
    refuse() {
      this.#closed();
    }
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
  const feed = new ChangesFeed(store, undefined, listener);
  // Not before the pending promises of this turn have ended, and before any pause.
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  feed.watch("orders", { watch: "watch-collection", unwatch: "unwatch-collection", param: "Orders" });
  await turn();
  assert.equal(sockets.length, 1);
  sockets[0].refuse();
  await turn();
  assert.equal(sockets.length, 1, "it pauses");
  for (const signedIn of signIns) signedIn();
  await turn();
  assert.equal(sockets.length, 2);
  feed.dispose();
  assert.equal(signIns.size, 0);
});
