// Bulk inserts over connections that break, stall or lose the response: what the app is told is stored is stored.
import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { after } from "../support/cleanup.mjs";
import { listen } from "../support/ports.mjs";
import { counter, database, document, missing, order, ravendb, send } from "../support/server.mjs";
import { failure, open, until, within } from "../support/store.mjs";

const SERVER = { skip: missing(ravendb), timeout: 60_000 };

/** A tunnel to the server, which passes bytes on as they come. */
async function tunnel(t) {
  const { hostname, port } = new URL(ravendb.url);
  const sockets = new Set();
  const wire = {
    /** Ends the connections that are open now. */
    cut: () => sockets.forEach((socket) => socket.destroy()),
    /** Whether the next response to an insert ends its connection before it arrives. */
    losesResponses: false,
    /** Stops, or goes on with, passing on what clients send. */
    hold(on) {
      wire.isHeld = on;
      for (const socket of sockets) socket[on ? "pause" : "resume"]();
    },
    isHeld: false,
    sent: 0,
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isInsert = false;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (bytes) => {
      isInsert ||= bytes.includes("POST") && bytes.includes("/bulk_insert");
      wire.sent += bytes.length;
      if (!upstream.write(bytes)) {
        client.pause();
        upstream.once("drain", () => wire.isHeld || client.resume());
      }
    });
    upstream.on("data", (bytes) => {
      if (isInsert && wire.losesResponses) client.destroy();
      else client.write(bytes);
    });
    if (wire.isHeld) client.pause();
  });
  const at = await listen(server);
  after(t, () => {
    wire.cut();
    server.close();
  });
  return Object.assign(wire, { url: `http://127.0.0.1:${at}` });
}

async function prepared(t, options) {
  const name = await database(t, ravendb);
  const wire = await tunnel(t);
  return { name, wire, store: open(t, wire.url, name, options) };
}

const exists = async (name, id) => (await document(ravendb, name, id)) !== undefined;

async function untilStored(name, id) {
  while (!(await exists(name, id))) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function stored(name, collection = "Orders") {
  const { json } = await send(ravendb.url, "GET", `/databases/${name}/collections/stats`);
  return json.Collections[collection] ?? 0;
}

test(
  "a connection that is cut: the error says up to which document everything is stored",
  SERVER,
  async (t) => {
    const { name, wire, store } = await prepared(t);
    const bulk = store.bulkInsert();
    const ids = [];
    const insert = async (count) => {
      for (let n = 0; n < count; n++) {
        const entity = order({ n, text: "x".repeat(100) });
        await bulk.store(entity);
        ids.push(entity.id);
      }
    };
    await insert(1_000);
    await untilStored(name, ids[999]);
    await insert(2_000);
    wire.cut();
    const error = await failure(insert(100_000));
    assert.deepEqual([error.code, error.name], ["BulkInsertAborted", "BulkInsertAbortedException"]);
    assert.ok(error.storedCount >= 1_000 && error.storedCount <= ids.length, `${error.storedCount}`);
    assert.equal(error.lastStoredId, ids[error.storedCount - 1]);
    const found = await store.openSession().load(ids.slice(0, error.storedCount));
    assert.equal(Object.values(found).filter(Boolean).length, error.storedCount);
    assert.equal(await failure(bulk.finish()), error);
    assert.equal(await failure(bulk.store(order({ n: -1 }))), error);
  },
);

test("a lost response to the end is no failure if everything is stored", SERVER, async (t) => {
  const { name, wire, store } = await prepared(t);
  const bulk = store.bulkInsert();
  for (let n = 0; n < 500; n++) await bulk.store(order({ n }));
  wire.losesResponses = true;
  await bulk.finish();
  assert.equal(await stored(name), 500);
});

test("a server that is gone: nothing is certain, and no call hangs", SERVER, async (t) => {
  const { wire, store } = await prepared(t, { timeout: 3_000 });
  const bulk = store.bulkInsert();
  await bulk.store(order({ n: 1 }));
  wire.hold(true);
  wire.cut();
  const error = await within(20_000, failure(bulk.finish()));
  assert.equal(error.code, "BulkInsertAborted");
  assert.deepEqual([error.lastStoredId, error.storedCount], [undefined, 0]);
});

test(
  "while the server reads nothing, calls wait; a server that does nothing ends the insert",
  SERVER,
  async (t) => {
    const { name, wire, store } = await prepared(t, { timeout: 3_000 });
    const bulk = store.bulkInsert();
    await bulk.store(order({ n: 0 }));
    await untilStored(name, "orders/1-A");
    wire.hold(true);
    let count = 1;
    const inserting = (async () => {
      while (count < 50_000) {
        await bulk.store(order({ text: "y".repeat(1_000) }), `o/${count}`);
        count++;
      }
    })();
    let before;
    await until(() => {
      const isSame = before === count;
      before = count;
      return isSame && count > 1;
    }, "calls that wait");
    // Buffers of the connection and of this process.
    assert.ok(count < 20_000, `${count} documents wait`);
    wire.hold(false);
    const held = count;
    await until(() => count > held, "calls that go on");
    wire.hold(true);
    const error = await within(40_000, failure(inserting));
    assert.equal(error.code, "BulkInsertAborted");
    assert.match(error.message, /the server took nothing for 3000 ms/);
  },
);

test("abort keeps what is stored and drops the rest", SERVER, async (t) => {
  const { name, store } = await prepared(t);
  const bulk = store.bulkInsert();
  await bulk.store(order({ n: 1 }));
  await untilStored(name, "orders/1-A");
  await bulk.store(order({ n: 2 }));
  await bulk.abort();
  const error = await failure(bulk.store(order({ n: 3 })));
  assert.deepEqual(
    [error.code, error.lastStoredId, error.storedCount],
    ["BulkInsertAborted", "orders/1-A", 1],
  );
  assert.equal(error.cause.code, "Canceled");
  await bulk.abort();
  assert.equal(await failure(bulk.finish()), error);
  assert.equal(await exists(name, "orders/3-A"), false);
});

test("what cannot be a document is refused before it is sent, and the insert goes on", SERVER, async (t) => {
  const { name, store } = await prepared(t);
  const bulk = store.bulkInsert();
  await bulk.store({ n: 1 }, "a/1");
  const circle = order();
  circle.self = circle;
  const wrong = [
    [() => bulk.store({}, "x".repeat(600)), "InvalidId"],
    [() => bulk.store({}, "a\u0007"), "InvalidId"],
    [() => bulk.store({}, "a\ud800"), "InvalidId"],
    [() => bulk.store({}), "InvalidOperation"],
    [() => bulk.store(circle), "InvalidOperation"],
    [() => bulk.store("text", "a/2"), "InvalidArgument"],
    [() => bulk.countersFor("a/1").increment("n", 1.5), "InvalidArgument"],
    [() => bulk.countersFor("a/1").increment(""), "InvalidArgument"],
    [() => bulk.attachmentsFor("a/1").store("f", "text"), "InvalidArgument"],
    [() => bulk.attachmentsFor("a/1").store("", Buffer.from("x")), "InvalidArgument"],
  ];
  for (const [call, code] of wrong) assert.equal((await failure(call())).code, code, `${call}`);
  const series = bulk.timeSeriesFor("a/1", "s");
  for (const [at, values] of [
    [new Date(Number.NaN), 1],
    ["2026", 1],
    [new Date(0), Number.NaN],
    [new Date(0), []],
  ])
    assert.equal((await failure(series.append(at, values))).code, "InvalidArgument");
  series.dispose();
  assert.equal((await failure(series.append(new Date(0), 1))).code, "InvalidOperation");
  assert.throws(() => store.bulkInsert({ useCompresion: true }), /did you mean "useCompression"/);
  await bulk.store({ n: 3 }, "a/3");
  await bulk.finish();
  assert.equal((await document(ravendb, name, "a/3")).n, 3);
  assert.equal((await failure(bulk.store({ n: 4 }, "a/4"))).code, "InvalidOperation");
});

test("ids come from the store's own leases: none twice, unused numbers go back", SERVER, async (t) => {
  const { name, store } = await prepared(t);
  const ids = [];
  const insert = async (count) => {
    const bulk = store.bulkInsert();
    for (let n = 0; n < count; n++) {
      const entity = order({ n });
      await bulk.store(entity);
      ids.push(entity.id);
    }
    await bulk.finish();
  };
  const save = async () => {
    const session = store.openSession();
    for (let n = 0; n < 50; n++) {
      const entity = order({ n });
      await session.store(entity);
      ids.push(entity.id);
    }
    await session.saveChanges();
  };
  await Promise.all([insert(700), save(), insert(300)]);
  assert.equal(new Set(ids).size, 1_050);
  assert.equal(await stored(name), 1_050);
  await store.dispose();
  assert.equal(await counter(ravendb, name, "orders"), 1_050);
});

test("the text is made when a document is stored: the object may be used again", SERVER, async (t) => {
  const { name, store } = await prepared(t);
  const bulk = store.bulkInsert();
  const entity = { "@metadata": { "@collection": "Orders", tag: "t" }, lines: [{ n: 0 }], at: new Date(0) };
  const bytes = new Uint8Array([65, 65, 65]);
  for (let n = 1; n <= 3; n++) {
    entity.lines[0].n = n;
    entity.at = new Date(n);
    await bulk.store(entity, `o/${n}`);
    bytes.fill(64 + n);
    await bulk.attachmentsFor(`o/${n}`).store("a", bytes);
  }
  bytes.fill(0);
  await bulk.finish();
  for (let n = 1; n <= 3; n++) {
    const found = await document(ravendb, name, `o/${n}`);
    assert.deepEqual([found.lines[0].n, found["@metadata"].tag], [n, "t"]);
    assert.deepEqual(found["@metadata"]["@nested-object-types"], { at: "date" });
    const { text } = await send(ravendb.url, "GET", `/databases/${name}/attachments?id=o/${n}&name=a`);
    assert.equal(text, String.fromCharCode(64 + n).repeat(3));
  }
});

test("characters of several bytes arrive as they are, wherever a piece ends", SERVER, async (t) => {
  const { name, store } = await prepared(t);
  const bulk = store.bulkInsert();
  const texts = ["ascii", "עברית", "🙂", "é"].map((text) => text.repeat(2_000));
  for (let n = 0; n < 400; n++) await bulk.store(order({ text: texts[n % 4] + n }), `o/${n}`);
  await bulk.finish();
  assert.equal(await stored(name), 400);
  const ids = Array.from({ length: 400 }, (_, n) => `o/${n}`);
  const found = await store.openSession().load(ids);
  for (let n = 0; n < 400; n++) assert.equal(found[ids[n]].text, texts[n % 4] + n);
});

test("an attachment that cannot be read ends the insert", SERVER, async (t) => {
  const { name, store } = await prepared(t);
  const bulk = store.bulkInsert();
  await bulk.store(order({ n: 1 }));
  await untilStored(name, "orders/1-A");
  const broken = new Blob(["x".repeat(100_000)]);
  const slice = () =>
    Object.assign(new Blob(["x"]), { arrayBuffer: () => Promise.reject(new Error("unreadable")) });
  Object.assign(broken, { slice });
  const error = await failure(bulk.attachmentsFor("orders/1-A").store("a", broken));
  assert.deepEqual([error.code, error.lastStoredId], ["BulkInsertAborted", "orders/1-A"]);
  assert.match(error.message, /unreadable/);
});
