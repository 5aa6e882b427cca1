// The events of a queue's status: once for what happens at the same time, and once for each sign-in that is needed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusEvents } from "../../pkg/dist/offline/queue-status.js";

const later = () => new Promise((resolve) => setTimeout(resolve, 1));

function opened(names) {
  const emitted = [];
  const store = {
    listenersOf: (name) => (names.includes(name) ? [() => {}] : []),
    emitLater: (name, detail) => names.includes(name) && emitted.push([name, detail]),
  };
  const status = { queued: 0, needsAuth: false };
  const events = new StatusEvents(store, "ann", () => ({ ...status }));
  const tell = async (change = {}) => {
    Object.assign(status, change);
    events.tell();
    events.tell();
    await later();
    return emitted.splice(0);
  };
  return { events, tell };
}

test("a status is told when it has changed, once for what happens at the same time", async () => {
  const { events, tell } = opened(["offline"]);
  assert.deepEqual(await tell({ queued: 1 }), [["offline", { queued: 1, needsAuth: false }]]);
  assert.deepEqual(await tell(), []);
  events.stop();
  assert.deepEqual(await tell({ queued: 2 }), []);
});

test("a user is asked to sign in once, and again if the sign-in did not help", async () => {
  const { events, tell } = opened(["needsAuth"]);
  const asked = [["needsAuth", { user: "ann" }]];
  assert.deepEqual(await tell({ needsAuth: true }), asked);
  assert.deepEqual(await tell({ queued: 1 }), []);
  // The server may refuse the new sign-in before the queue reports that it is sending again.
  events.signedIn();
  assert.deepEqual(await tell(), asked);
});

test("who follows the user is told of each sign-in, once, whatever the app listens to", async () => {
  const { events, tell } = opened([]);
  let signIns = 0;
  const stop = events.onSignedIn(() => signIns++);
  await tell({ needsAuth: true });
  assert.equal(signIns, 0);
  // Another tab has signed in.
  await tell({ needsAuth: false });
  await tell({ queued: 1 });
  assert.equal(signIns, 1);
  await tell({ needsAuth: true });
  events.signedIn();
  await tell({ needsAuth: false });
  assert.equal(signIns, 2);
  stop();
  events.signedIn();
  assert.equal(signIns, 2);
});
