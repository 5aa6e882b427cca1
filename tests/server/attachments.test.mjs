// Attachments travel in the transaction of their documents. What became of a save whose response is lost follows the session's
// law, and an upload that ends too early leaves nothing behind.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import {
  GetAttachmentOperation,
  PutAttachmentCommandData,
  PutAttachmentOperation,
} from "../../pkg/lib/entries/node.js";
import { document, missing, order, ravendb } from "../support/server.mjs";
import { failure, open, prepared } from "../support/store.mjs";
import { torn } from "../support/torn.mjs";

const SERVER = { skip: missing(ravendb), timeout: 60_000 };

const isBatch = ({ path }) => path.endsWith("/bulk_docs");
const isDownload = ({ method, path }) => method === "GET" && path.endsWith("/attachments");
const lose = (kind) => (request) => (kind(request) ? "lose" : undefined);

/** The names in the metadata of a stored document. */
async function listed(name, id) {
  const { "@metadata": metadata } = await document(ravendb, name, id);
  return (metadata["@attachments"] ?? []).map(({ Name }) => Name);
}

async function content(name, id, attachment) {
  const response = await fetch(`${ravendb.url}/databases/${name}/attachments?id=${id}&name=${attachment}`);
  return response.status === 404 ? undefined : response.text();
}

/** A stream that delivers some pieces and then fails, or waits forever. */
async function* pieces(count, end) {
  for (let at = 0; at < count; at++) yield Buffer.alloc(65_536, at);
  await end();
}

const hang = () => new Promise(() => {});

test("documents and attachments are saved by one request, or not at all", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  session.advanced.attachments.store(entity, "a.txt", "alpha", "text/plain");
  session.advanced.attachments.store(entity.id, "b.bin", new Uint8Array([1, 2, 3]).buffer);
  session.advanced.attachments.store(entity, "c.txt", new Blob(["gamma"]));
  await session.saveChanges();
  assert.equal(wire.of(isBatch).length, 1);
  assert.deepEqual(await listed(name, entity.id), ["a.txt", "b.bin", "c.txt"]);
  assert.equal(await content(name, entity.id, "c.txt"), "gamma");
  const next = order({ n: 2 });
  await session.store(next);
  session.advanced.attachments.store("orders/none", "x", "x");
  const error = await failure(session.saveChanges());
  assert.equal(error.name, "DocumentDoesNotExistException");
  assert.equal(await document(ravendb, name, next.id), undefined);
  session.advanced.clear();
});

test("new documents with attachments are saved despite a lost response", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const entities = [order({ n: 1 }), order({ n: 2 })];
  for (const entity of entities) {
    await session.store(entity);
    session.advanced.attachments.store(entity, "a.txt", new Blob(["alpha"]), "text/plain");
  }
  session.advanced.attachments.store(entities[0], "b.txt", Readable.from([Buffer.from("beta")]));
  wire.rule = lose(isBatch);
  await session.saveChanges();
  wire.rule = undefined;
  assert.equal(wire.of(isBatch).length, 1, "sent once");
  assert.equal(session.advanced.hasChanges(), false);
  const [{ id }] = entities;
  assert.equal(await content(name, id, "a.txt"), "alpha");
  assert.equal(await content(name, id, "b.txt"), "beta");
  const { "@metadata": metadata } = await document(ravendb, name, id);
  assert.equal(session.advanced.getChangeVectorFor(entities[0]), metadata["@change-vector"]);
  session.advanced.useOptimisticConcurrency = true;
  entities[0].n = 3;
  await session.saveChanges();
  assert.deepEqual(await listed(name, id), ["a.txt", "b.txt"], "a later save keeps attachments");
});

test("new documents with attachments that never arrived are sent by the next save", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const { attachments } = session.advanced;
  const entity = order({ n: 1 });
  await session.store(entity);
  attachments.store(entity, "a", new Uint8Array([97, 98]));
  wire.rule = (request) => (isBatch(request) ? "drop" : undefined);
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
  assert.match(error.message, /saving again is safe/);
  attachments.store(entity, "b", Readable.from([Buffer.from("beta")]));
  const other = await failure(session.saveChanges());
  assert.equal(other.code, "OutcomeUnknown");
  assert.match(
    other.message,
    /look for the attachment b of .*\.clear\(\), else store it again with a new stream$/,
  );
  wire.rule = undefined;
  const refused = await failure(session.saveChanges());
  assert.equal(refused.code, "InvalidOperation");
  assert.match(refused.message, /stream of the attachment b was read/);
  attachments.store(entity, "b", "beta");
  await session.saveChanges();
  assert.deepEqual(await listed(name, entity.id), ["a", "b"]);
});

test("a document that an earlier save created does not prove its attachments", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb, { timeout: 3_000 });
  const entity = order({ n: 1 });
  await session.store(entity);
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  // The first batch arrives only after the second was sent.
  wire.rule = (request) => (isBatch(request) ? released : undefined);
  assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
  session.advanced.attachments.store(entity, "a", "alpha");
  wire.rule = async (request) => {
    if (!isBatch(request)) return;
    const arrived = wire.next(isBatch, { responded: true });
    release();
    assert.equal((await arrived).status, 201);
    return "lose";
  };
  const error = await failure(session.saveChanges());
  wire.rule = undefined;
  assert.equal(error.code, "OutcomeUnknown");
  assert.equal(await content(name, entity.id, "a"), undefined, "the second batch was refused");
  await session.saveChanges();
  assert.equal(await content(name, entity.id, "a"), "alpha");
});

test("a save with attachments that is delivered twice succeeds", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  session.advanced.attachments.store(entity, "a", "alpha");
  let copies = 0;
  wire.rule = async (request) => {
    if (!isBatch(request) || copies++ > 0) return;
    const { method, target, body, headers } = request;
    const type = { "content-type": headers["content-type"] };
    const first = await fetch(ravendb.url + target, { method, body, headers: type });
    assert.equal(first.status, 201, await first.text());
  };
  await session.saveChanges();
  assert.equal(wire.of(isBatch)[0].status, 409, "the second copy is refused");
  assert.deepEqual(await listed(name, entity.id), ["a"]);
  assert.equal(session.advanced.hasChanges(), false);
});

test("an attachment alone whose response is lost is not sent again by itself", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  await session.saveChanges();
  session.advanced.attachments.store(entity, "a.txt", "alpha");
  wire.rule = lose(isBatch);
  const error = await failure(session.saveChanges());
  wire.rule = undefined;
  assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
  assert.match(error.message, /saving again is safe/);
  assert.equal(wire.of(isBatch).length, 2);
  assert.equal(session.advanced.hasChanges(), true, "the app decides");
  assert.equal(await content(name, entity.id, "a.txt"), "alpha");
  await session.saveChanges();
  assert.deepEqual(await listed(name, entity.id), ["a.txt"], "once");
});

test("a stream that was not sent is sent by the next save", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  session.advanced.attachments.store(entity, "a", Readable.from([Buffer.from("al"), Buffer.from("pha")]));
  await wire.off();
  const error = await failure(session.saveChanges());
  assert.equal(error.outcome, "not saved");
  await wire.on();
  await session.saveChanges();
  assert.equal(await content(name, entity.id, "a"), "alpha");
});

test(
  "a stream that fails leaves nothing behind, and the attachment can be stored again",
  SERVER,
  async (t) => {
    const { name, session } = await prepared(t, ravendb);
    const entity = order({ n: 1 });
    await session.store(entity);
    const { attachments } = session.advanced;
    const broken = pieces(40, () => Promise.reject(new Error("the disk is gone")));
    attachments.store(entity, "a", broken);
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.outcome], ["InvalidOperation", "not saved"]);
    assert.match(error.message, /the disk is gone/);
    assert.equal(await document(ravendb, name, entity.id), undefined, "nothing is saved");
    const again = await failure(session.saveChanges());
    assert.equal(again.code, "InvalidOperation");
    assert.match(again.message, /stream of the attachment a was read/);
    attachments.store(entity, "a", "alpha");
    await session.saveChanges();
    assert.equal(await content(name, entity.id, "a"), "alpha");
  },
);

test("an upload whose connection is cut in the middle leaves nothing behind", SERVER, async (t) => {
  const { name } = await prepared(t, ravendb);
  for (const given of [new Uint8Array(400_000), () => pieces(30, () => {})]) {
    const line = await torn(t, ravendb.url, 200_000);
    const session = open(t, line.url, name).openSession();
    const entity = order({ n: 1 });
    await session.store(entity);
    const store = () =>
      session.advanced.attachments.store(entity, "a", typeof given === "function" ? given() : given);
    store();
    const error = await failure(session.saveChanges());
    assert.equal(line.cuts, 1);
    assert.notEqual(error.outcome, "saved");
    assert.equal(await document(ravendb, name, entity.id), undefined, "no document");
    assert.equal(await content(name, entity.id, "a"), undefined, "no attachment");
    assert.deepEqual(session.advanced.attachments.getNames(entity), [], "the session claims none");
    if (typeof given === "function") store();
    await session.saveChanges();
    assert.deepEqual(await listed(name, entity.id), ["a"]);
    // A document that is there keeps what it has.
    const again = await torn(t, ravendb.url, 200_000);
    const put = new PutAttachmentOperation(entity.id, "b", new Uint8Array(400_000));
    await failure(open(t, again.url, name).operations.send(put));
    assert.deepEqual([again.cuts, await listed(name, entity.id)], [1, ["a"]]);
  }
});

test("a stream that stops delivering ends the save within the time limit", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb, { timeout: 700 });
  const entity = order({ n: 1 });
  await session.store(entity, "orders/1");
  session.advanced.attachments.store(entity, "a", pieces(3, hang));
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["Timeout", "not saved"]);
  assert.equal(await document(ravendb, name, entity.id), undefined, "nothing is saved");
});

test("a large upload may take longer than the time limit as long as it goes on", SERVER, async (t) => {
  const { name, wire } = await prepared(t, ravendb);
  const store = open(t, wire.url, name, { timeout: 3_000 });
  const session = store.openSession();
  const entity = order({ n: 1 });
  await session.store(entity);
  async function* slow() {
    const begun = performance.now();
    while (performance.now() - begun < 4_000) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield Buffer.from("x");
    }
  }
  session.advanced.attachments.store(entity, "a", slow());
  await session.saveChanges();
  assert.match(await content(name, entity.id, "a"), /^x+$/);
});

test("a stream is sent to one attachment only", SERVER, async (t) => {
  const { session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  const stream = new Blob(["x"]).stream();
  session.advanced.attachments.store(entity, "a", stream);
  session.advanced.attachments.store(entity, "b", stream);
  assert.match((await failure(session.saveChanges())).message, /cannot be sent twice/);
  const read = new Blob(["x"]).stream();
  read.getReader();
  const other = order({ n: 1 });
  session.advanced.clear();
  await session.store(other);
  session.advanced.attachments.store(other, "a", read);
  assert.match((await failure(session.saveChanges())).message, /was read already/);
});

test("progress is reported for each attachment", SERVER, async (t) => {
  const { session, store } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  const seen = { a: [], b: [], c: [] };
  const note = (name) => ({ name, onProgress: (...given) => seen[name].push(given) });
  const { attachments } = session.advanced;
  attachments.store(entity, { ...note("a"), stream: Buffer.alloc(200_000) });
  attachments.store(entity, { ...note("b"), stream: pieces(3, async () => {}) });
  await session.saveChanges();
  assert.deepEqual(seen.a.at(-1), [200_000, 200_000]);
  assert.deepEqual(
    seen.b,
    [1, 2, 3].map((count) => [count * 65_536, undefined]),
  );
  const put = new PutAttachmentOperation(entity.id, "c", "content", "text/plain", null, note("c").onProgress);
  await store.operations.send(put);
  assert.deepEqual(seen.c, [[7, 7]]);
});

test("an attachment is read whole, in parts, and once", SERVER, async (t) => {
  const { session, store } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  const { attachments } = session.advanced;
  attachments.store(entity, "a.txt", "0123456789", "text/plain");
  await session.saveChanges();
  const whole = await attachments.get(entity, "a.txt");
  assert.equal((await whole.blob()).type, "text/plain");
  await assert.rejects(async () => whole.text(), { code: "InvalidOperation" });
  assert.equal(await (await attachments.getRange(entity, "a.txt", 2, 4)).text(), "234");
  assert.equal(await (await attachments.getRange(entity, "a.txt", 7)).text(), "789");
  assert.equal(await (await attachments.getRange(entity, "a.txt", 8, 99)).text(), "89");
  assert.equal(await attachments.getRange(entity, "none", 8, 99), null);
  for (const range of [[10], [-1], [3, 2], [0.5], [Number.NaN]])
    assert.equal((await failure(attachments.getRange(entity, "a.txt", ...range))).code, "InvalidArgument");
  const events = await store.operations.send(new GetAttachmentOperation(entity.id, "a.txt"));
  const read = await new Promise((resolve, reject) => {
    let text = "";
    events.data.on("data", (chunk) => {
      text += chunk;
    });
    events.data.on("end", () => resolve(text));
    events.data.on("error", reject);
  });
  assert.equal(read, "0123456789");
  const left = await attachments.get(entity, "a.txt");
  left.dispose();
});

test("a download that is cut off is no shorter attachment", SERVER, async (t) => {
  const { session, wire } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  const { attachments } = session.advanced;
  attachments.store(entity, "a", Buffer.alloc(300_000, 1));
  await session.saveChanges();
  wire.rule = (request) => (isDownload(request) ? { cut: 100 } : undefined);
  const cut = await attachments.get(entity, "a");
  assert.equal((await failure(cut.arrayBuffer())).code, "Unreachable");
  // A proxy that ends the response properly, but too early.
  wire.rule = undefined;
  wire.change = (response, request) => {
    if (!isDownload(request)) return;
    response.body = Buffer.from("short");
    delete response.headers["content-encoding"];
    delete response.headers["transfer-encoding"];
    response.headers["content-length"] = "5";
  };
  const short = await attachments.get(entity, "a");
  assert.equal((await failure(short.arrayBuffer())).code, "BadAnswer");
});

test("what a session knows of a document follows its attachments", SERVER, async (t) => {
  const { name, session, store } = await prepared(t, ravendb);
  session.advanced.useOptimisticConcurrency = true;
  const [one, two] = [order({ n: 1 }), order({ n: 2 })];
  for (const each of [one, two]) await session.store(each);
  const { attachments } = session.advanced;
  attachments.store(one, "a", "alpha");
  attachments.store(one, "b", "beta");
  await session.saveChanges();
  attachments.move(one, "a", two, "a2");
  attachments.copy(one, "b", two, "b2");
  await session.saveChanges();
  for (const each of [one, two]) {
    const { "@metadata": metadata } = await document(ravendb, name, each.id);
    assert.equal(session.advanced.getChangeVectorFor(each), metadata["@change-vector"]);
    const names = attachments.getNames(each).map((attachment) => attachment.name);
    assert.deepEqual(names.sort(), metadata["@attachments"].map(({ Name }) => Name).sort());
    each.n += 1;
  }
  await session.saveChanges();
  const copy = await store.openSession().load(two.id);
  assert.equal(copy.n, 3);
  copy["@metadata"]["@attachments"] = [];
  assert.equal(session.advanced.hasChanges(), false, "the list is the server's");
});

test("a command of the app with a stream is sent like those of the session", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  const guarded = new PutAttachmentCommandData(entity.id, "a", new Blob(["alpha"]), null, "");
  session.advanced.defer(guarded);
  await session.saveChanges();
  assert.equal(await content(name, entity.id, "a"), "alpha");
  session.advanced.defer(new PutAttachmentCommandData(entity.id, "a", "other", null, ""));
  assert.equal((await failure(session.saveChanges())).code, "Concurrency");
  assert.equal(await content(name, entity.id, "a"), "alpha");
});

test("attachments of a document whose id the server makes wait for its save", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity, "orders/");
  const { attachments } = session.advanced;
  assert.throws(() => attachments.store(entity, "a", "alpha"), { code: "InvalidOperation" });
  await session.saveChanges();
  attachments.store(entity, "a", "alpha");
  await session.saveChanges();
  assert.equal(await content(name, entity.id, "a"), "alpha");
});
