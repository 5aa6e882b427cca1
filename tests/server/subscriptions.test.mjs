// Subscriptions over a connection that is cut: a batch is acknowledged only after its listener, and on its own connection.
import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { after } from "../support/cleanup.mjs";
import { listen } from "../support/ports.mjs";
import { database, onRavenDb, send } from "../support/server.mjs";
import { open, within } from "../support/store.mjs";
import { next, notes } from "../support/subscriptions.mjs";

/** A TCP proxy in front of the server's port for subscriptions, and a `fetch` that names it. */
async function wire(t, server) {
  const { Url } = (await send(server.url, "GET", "/info/tcp")).json;
  const target = Number(new URL(Url).port);
  let close;
  const closed = new Promise((resolve) => {
    close = resolve;
  });
  const state = { connections: 0, sent: "", sockets: new Set(), refuses: false, closed };
  const listener = createServer((near) => {
    if (state.refuses) return near.destroy();
    state.connections += 1;
    const far = connect(target, "127.0.0.1");
    near.on("data", (bytes) => {
      state.sent += bytes;
    });
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      state.sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        state.sockets.delete(one);
        if (state.sockets.size === 0) close();
        other.destroy();
      });
    }
  });
  const port = await listen(listener);
  const cut = () => {
    for (const socket of state.sockets) socket.destroy();
  };
  after(t, () => {
    cut();
    listener.close();
  });
  const fetchThrough = async (url, init) => {
    const response = await fetch(url, init);
    if (!String(url).includes("/info/remote-task/tcp")) return response;
    const text = (await response.text()).replaceAll(`:${target}`, `:${port}`);
    return new Response(text, { status: response.status });
  };
  return Object.assign(state, {
    cut,
    fetch: fetchThrough,
    acknowledged: () => state.sent.split('"Acknowledge"').length - 1,
  });
}

/** A store with a subscription to three documents, whose connections go through the proxy. */
async function subscribed(t, server) {
  const name = await database(t, server);
  await notes(server, name);
  const line = await wire(t, server);
  const store = open(t, server.url, name, { fetch: line.fetch });
  const subscriptionName = await store.subscriptions.create({ query: "from Notes" });
  const receive = (options = {}) =>
    store.subscriptions.getSubscriptionWorker({
      subscriptionName,
      timeToWaitBeforeConnectionRetry: 1,
      ...options,
    });
  return { name, line, store, subscriptionName, receive };
}

const names = (batch) => batch.items.map(({ result }) => result.name);

onRavenDb(
  "a batch whose connection is lost while its listener works comes again, and is acknowledged once",
  async (t, server) => {
    const { line, receive } = await subscribed(t, server);
    // The server may still count the lost connection when the next one comes.
    const worker = receive({ strategy: "WaitForFree" });
    const batches = [];
    let working = 0;
    const lost = next(worker, "unexpectedSubscriptionError");
    worker.on("batch", async (batch, callback) => {
      working += 1;
      assert.equal(working, 1, "listeners have two batches at a time");
      batches.push(names(batch));
      if (batches.length === 1) {
        line.cut();
        await lost;
      }
      assert.equal(line.acknowledged(), 0);
      working -= 1;
      callback();
    });
    await next(worker, "afterAcknowledgment");
    assert.deepEqual(batches, [
      ["a", "b", "c"],
      ["a", "b", "c"],
    ]);
    assert.deepEqual([line.acknowledged(), line.connections], [1, 2]);
    const ended = next(worker, "end");
    worker.dispose();
    await ended;
  },
);

onRavenDb(
  "a batch is acknowledged when all listeners have called back, each of them once",
  async (t, server) => {
    const { line, receive } = await subscribed(t, server);
    const worker = receive();
    const given = [];
    for (const at of [0, 1])
      worker.on("batch", (_, callback) => {
        given[at] = callback;
        if (at === 1) calls();
      });
    let calls;
    await new Promise((resolve) => {
      calls = resolve;
    });
    given[0]();
    given[0]();
    await new Promise(setImmediate);
    assert.equal(line.acknowledged(), 0);
    const confirmed = next(worker, "afterAcknowledgment");
    given[1]();
    await confirmed;
    assert.equal(line.acknowledged(), 1);
    worker.dispose();
  },
);

onRavenDb(
  "a listener that fails, or whose promise rejects, ends the worker without an acknowledgement",
  async (t, server) => {
    const { line, receive } = await subscribed(t, server);
    const ways = [
      () => {
        throw new Error("broken");
      },
      (_, callback) => callback(new Error("broken")),
      async () => {
        throw new Error("broken");
      },
    ];
    for (const listener of ways) {
      // RavenDB may not have noticed yet that the connection of the last worker is closed.
      const worker = receive({ strategy: "WaitForFree" });
      const failed = next(worker, "error");
      const ended = next(worker, "end");
      worker.on("batch", listener);
      const [error] = await failed;
      await ended;
      assert.deepEqual([error.name, error.cause.message], ["SubscriberErrorException", "broken"]);
    }
    assert.equal(line.acknowledged(), 0);
  },
);

onRavenDb("connecting that fails for too long ends the worker with an error", async (t, server) => {
  const { line, receive } = await subscribed(t, server);
  line.refuses = true;
  const worker = receive({ maxErroneousPeriod: 1, timeToWaitBeforeConnectionRetry: 5 });
  let retries = 0;
  worker.on("connectionRetry", () => {
    retries += 1;
  });
  const failed = next(worker, "error");
  worker.on("batch", () => assert.fail("there is no connection"));
  const [error] = await failed;
  assert.equal(error.name, "SubscriptionInvalidStateException");
  assert.ok(retries > 0);
});

onRavenDb("disposing of the store ends its workers and closes their connections", async (t, server) => {
  const { line, store, receive } = await subscribed(t, server);
  const worker = receive();
  worker.on("batch", (_, callback) => callback());
  await next(worker, "afterAcknowledgment");
  const ended = next(worker, "end");
  await store.dispose();
  await ended;
  await within(5_000, line.closed, "the end of the connections");
  assert.throws(() => receive(), { code: "Disposed" });
});

onRavenDb("one worker of a subscription can be dropped", async (t, server) => {
  const { store, receive } = await subscribed(t, server);
  const worker = receive({ workerId: "mine" });
  const ready = next(worker, "afterAcknowledgment");
  worker.on("batch", (_, callback) => callback());
  await ready;
  const failed = next(worker, "error");
  await store.subscriptions.dropSubscriptionWorker(worker);
  const [error] = await failed;
  assert.equal(error.name, "SubscriptionClosedException");
});

/** A server of the protocol: it sends these messages to each worker, and gives what it receives. */
async function scripted(t, messages) {
  const received = [];
  const listener = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      received.push(JSON.parse(bytes));
      if (received.length === 1) socket.write('{"Status":"Ok","Version":53000}');
      if (received.length === 2) socket.write(messages.map((message) => JSON.stringify(message)).join(""));
    });
  });
  const port = await listen(listener);
  after(t, () => listener.close());
  const info = { Url: `tcp://127.0.0.1:${port}`, Certificate: null, NodeTag: "A" };
  return { received, fetch: async () => new Response(JSON.stringify(info)) };
}

test("revisions are given as the one before and the current one", async (t) => {
  const metadata = { "@id": "notes/1", "@collection": "Notes", "@change-vector": "A:1-a" };
  const note = (text) => ({ text, "@metadata": metadata });
  const { fetch, received } = await scripted(t, [
    { Type: "ConnectionStatus", Status: "Accepted" },
    { Type: "Data", Data: { Current: note("1"), Previous: null, "@metadata": metadata } },
    { Type: "Data", Data: { Current: note("2"), Previous: note("1"), "@metadata": metadata } },
    { Type: "EndOfBatch" },
  ]);
  class Note {}
  const store = open(t, "http://127.0.0.1:1", "none", { fetch });
  const options = { subscriptionName: "notes", documentType: Note };
  const worker = store.subscriptions.getSubscriptionWorkerForRevisions(options);
  const [{ items }] = await next(worker, "batch");
  const texts = items.map(({ result: { previous, current } }) => [previous?.text, current.text]);
  assert.deepEqual(texts, [
    [undefined, "1"],
    ["1", "2"],
  ]);
  assert.ok(items.every(({ revision, result }) => revision && result.current instanceof Note));
  const [header, request] = received;
  assert.deepEqual([header.Operation, header.OperationVersion], ["Subscription", 53_000]);
  assert.deepEqual([request.SubscriptionName, request.WorkerId], ["notes", worker.getWorkerId()]);
  worker.dispose();
});

test("a server of another version, and one that refuses, end the worker", async (t) => {
  for (const [answer, code, name] of [
    ['{"Status":"TcpVersionMismatch","Version":41400}', "Unsupported", "NotSupportedException"],
    ['{"Status":"AuthorizationFailed","Message":"no"}', "Server", "AuthorizationException"],
  ]) {
    const listener = createServer((socket) => socket.once("data", () => socket.write(answer)));
    const port = await listen(listener);
    after(t, () => listener.close());
    const info = { Url: `tcp://127.0.0.1:${port}`, Certificate: null, NodeTag: "A" };
    const store = open(t, "http://127.0.0.1:1", "none", {
      fetch: async () => new Response(JSON.stringify(info)),
    });
    const worker = store.subscriptions.getSubscriptionWorker("notes");
    const failed = next(worker, "error");
    worker.on("batch", () => assert.fail("there is no batch"));
    const [error] = await failed;
    assert.deepEqual([error.code, error.name], [code, name]);
  }
});
