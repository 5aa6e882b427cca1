// Attachments through the gateway, in workerd in front of a real RavenDB: who may store and read them, what is sent, what a broken
// upload leaves behind.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { bulk, served } from "../support/callers.mjs";
import { after } from "../support/cleanup.mjs";
import { listen } from "../support/ports.mjs";
import { document, onRavenDb, ravendb, send } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";
import { torn } from "../support/torn.mjs";

const OPTIONS = {
  patches: {},
  queries: {},
  collections: {
    Notes: { allow: ["write", "attach", "readAttachments"], rows: { owner: "$name" } },
    Photos: {
      allow: ["create", "read", "attach", "readAttachments"],
      attachments: { maxBytes: 100_000, contentTypes: ["image/*"] },
    },
    Drops: ["create", "attach"],
    Books: ["read", "readAttachments"],
    Plain: "write",
  },
  limits: { upload: 400_000, body: 8_192 },
};

const of = (collection, more = {}) => ({ ...more, "@metadata": { "@collection": collection } });
const zeros = (bytes) => new Uint8Array(bytes).fill(65);

/** Stores an attachment directly on the server. */
async function attach(base, id, name, content, type = "text/plain") {
  const query = new URLSearchParams({ id, name, contentType: type });
  const url = `${ravendb.url}/databases/${base}/attachments?${query}`;
  assert.equal((await fetch(url, { method: "PUT", body: content })).status, 201);
}

const names = async (base, id) => {
  const { json } = await send(ravendb.url, "GET", `/databases/${base}/docs?id=${encodeURIComponent(id)}`);
  return (json.Results[0]["@metadata"]["@attachments"] ?? []).map(({ Name }) => Name);
};

const uploads = (wire) => wire.requests.filter(({ path }) => /bulk_docs|attachments/.test(path));

onRavenDb("attachments are stored with their document, read, moved and deleted", async (t, server) => {
  const { as, base, wire } = await served(t, server, { options: OPTIONS });
  const session = as("ann").openSession();
  const { attachments } = session.advanced;
  const note = of("Notes", { owner: "ann" });
  await session.store(note, "notes/1");
  attachments.store(note, "a.txt", "first", "text/plain");
  attachments.store(note, "empty", new Uint8Array());
  attachments.store(note, "large", zeros(150_000));
  await session.saveChanges();
  assert.equal(uploads(wire).length, 1, "one request, in one transaction");
  assert.deepEqual(
    attachments.getNames(note).map(({ name, size }) => [name, size]),
    [
      ["a.txt", 5],
      ["empty", 0],
      ["large", 150_000],
    ],
  );

  const again = as("ann").openSession();
  const all = again.advanced.attachments;
  const found = await all.get("notes/1", "a.txt");
  const { contentType, size, name, hash } = found.details;
  assert.deepEqual([await found.text(), contentType, size, name], ["first", "text/plain", 5, "a.txt"]);
  assert.equal(hash, attachments.getNames(note)[0].hash);
  assert.equal(await (await all.getRange("notes/1", "a.txt", 1, 3)).text(), "irs");
  assert.equal((await failure(all.getRange("notes/1", "a.txt", 9))).code, "InvalidArgument");
  assert.equal((await (await all.get("notes/1", "large")).arrayBuffer()).byteLength, 150_000);
  assert.equal((await (await all.get("notes/1", "empty")).arrayBuffer()).byteLength, 0);
  assert.deepEqual(await Promise.all(["a.txt", "empty", "none"].map((one) => all.exists("notes/1", one))), [
    true,
    true,
    false,
  ]);
  assert.equal(await all.get("notes/1", "none"), null);

  const loaded = await again.load("notes/1");
  loaded.text = "changed";
  all.rename(loaded, "a.txt", "b.txt");
  all.delete(loaded, "empty");
  await again.saveChanges();
  all.copy(loaded, "b.txt", loaded, "c.txt");
  await again.saveChanges();
  assert.deepEqual(await names(base, "notes/1"), ["b.txt", "c.txt", "large"]);
  assert.deepEqual(
    all
      .getNames(loaded)
      .map((one) => one.name)
      .sort(),
    ["b.txt", "c.txt", "large"],
  );
  loaded.text = "changed again";
  await again.saveChanges();
});

onRavenDb(
  "attachments of hidden documents and of documents that do not exist look alike",
  async (t, server) => {
    const { as, base, wire } = await served(t, server, { options: OPTIONS });
    await bulk(server, base, { "notes/1": of("Notes", { owner: "bob" }), "photos/9": of("Secrets") });
    await attach(base, "notes/1", "a", "bob's");
    await attach(base, "photos/9", "a", "secret", "image/png");
    const { attachments } = as("ann").openSession().advanced;
    for (const id of ["notes/1", "notes/99", "photos/9"]) {
      assert.equal(await attachments.get(id, "a"), null, id);
      assert.equal(await attachments.getRange(id, "a", 0, 1), null, id);
      assert.equal(await attachments.exists(id, "a"), false, id);
    }
    assert.ok(
      wire.requests.every(({ path }) => !path.endsWith("/attachments")),
      "RavenDB is not asked for them",
    );
    const messages = new Set();
    for (const id of ["notes/1", "notes/99"]) {
      for (const change of [
        (one) => one.store(id, "b", "ann's"),
        (one) => one.rename(id, "a", "b"),
        (one) => one.copy("notes/2", "a", id, "a"),
      ]) {
        const session = as("ann").openSession();
        change(session.advanced.attachments);
        const error = await failure(session.saveChanges());
        assert.match(error.name, /DoesNotExistException$/);
        messages.add(`${error.name} ${error.message}`.replaceAll(id, "X"));
      }
      const session = as("ann").openSession();
      session.advanced.attachments.delete(id, "a");
      await session.saveChanges();
    }
    assert.ok(messages.size <= 3, [...messages].join("\n"));
    assert.deepEqual(await names(base, "notes/1"), ["a"]);
  },
);

onRavenDb(
  "if a document's owner changes between two reads of the gateway, or a read and a write, nothing is revealed or changed",
  async (t, server) => {
    const { as, base, wire } = await served(t, server, { options: OPTIONS });
    const given = async (id) => {
      await bulk(server, base, { [id]: of("Notes", { owner: "bob" }) });
      await attach(base, id, "a", "bob's secret");
    };
    await bulk(server, base, {
      "notes/1": of("Notes", { owner: "ann" }),
      "notes/2": of("Notes", { owner: "ann" }),
    });
    await attach(base, "notes/1", "a", "ann's");
    await attach(base, "notes/2", "a", "ann's");
    let isGiven = false;
    const once =
      (route, id) =>
      async ({ path }) => {
        if (isGiven || !path.endsWith(route)) return;
        isGiven = true;
        await given(id);
      };
    wire.rule = once("/bulk_docs", "notes/1");
    const session = as("ann").openSession();
    session.advanced.attachments.store("notes/1", "b", "ann's");
    assert.equal((await failure(session.saveChanges())).code, "Concurrency");
    assert.deepEqual([isGiven, await names(base, "notes/1")], [true, ["a"]]);
    isGiven = false;
    wire.rule = once("/attachments", "notes/2");
    assert.equal(await as("ann").openSession().advanced.attachments.get("notes/2", "a"), null);
    assert.ok(isGiven);
  },
);

onRavenDb(
  "what the levels and limits do not permit is refused, and the error names the level or limit",
  async (t, server) => {
    const { as, base, wire } = await served(t, server, { options: OPTIONS });
    await bulk(server, base, {
      "plain/1": of("Plain"),
      "books/1": of("Books"),
      "drops/1": of("Drops"),
      "photos/1": of("Photos"),
    });
    await attach(base, "books/1", "a", "text");
    const saves = async (change) => {
      const session = as("ann").openSession();
      change(session.advanced.attachments);
      return failure(session.saveChanges());
    };
    for (const [change, type, message] of [
      [
        (one) => one.store("plain/1", "a", "x"),
        "CollectionRefused",
        /does not permit "attach" for the id "plain\/1"/,
      ],
      [(one) => one.delete("books/1", "a"), "CollectionRefused", /does not permit "attach"/],
      [(one) => one.rename("books/1", "a", "b"), "CollectionRefused", /does not permit "attach"/],
      [
        (one) => one.copy("drops/1", "a", "drops/1", "b"),
        "CollectionRefused",
        /does not permit "readAttachments"/,
      ],
      [(one) => one.store("secrets/1", "a", "x"), "CollectionRefused", /does not permit "attach"/],
      [(one) => one.store("photos/1", "a", "x", "text/html"), "DocumentRefused", /content types image\/\*/],
      [(one) => one.copy("books/1", "a", "photos/1", "b"), "DocumentRefused", /different limits/],
      [(one) => one.store("drops/1", "a\u001eb", "x"), "DocumentRefused", /valid name/],
      // Last: the connection ends with a refused upload, and a save that has just been sent over it would be lost.
      [
        (one) => one.store("photos/1", "a", zeros(100_001), "image/png"),
        "LimitExceeded",
        /at most 100000 bytes/,
      ],
      [(one) => one.store("drops/1", "a", zeros(500_000)), "LimitExceeded", /limits\.upload/],
    ]) {
      const error = await saves(change);
      assert.equal(error.type, `RavenEdge.Gateway.${type}`, error.message);
      assert.match(error.message, message);
    }
    // The beginning of contents that are too large may have been sent, but RavenDB never gets their end.
    assert.ok(uploads(wire).every(({ status }) => status !== 201));
    const reading = as("ann").openSession().advanced.attachments;
    for (const id of ["plain/1", "drops/1", "secrets/1"]) {
      const error = await failure(reading.get(id, "a"));
      assert.match(error.message, /does not permit "readAttachments"/);
    }
    assert.equal(
      (await failure(reading.getRevision("books/1", "a", "A:1-x"))).type,
      "RavenEdge.Gateway.RouteRefused",
    );
    assert.equal(await (await reading.get("books/1", "a")).text(), "text");
    assert.deepEqual(await names(base, "photos/1"), []);
  },
);

onRavenDb("an upload that breaks off on its way to the gateway leaves nothing behind", async (t, server) => {
  const { base, url } = await served(t, server, { options: OPTIONS });
  const line = await torn(t, url, 200_000);
  const store = open(t, line.url, base, { headers: () => ({ "x-user": "ann" }) });
  const session = store.openSession();
  const note = of("Notes", { owner: "ann" });
  await session.store(note, "notes/1");
  session.advanced.attachments.store(note, "a", zeros(350_000));
  await failure(session.saveChanges());
  assert.equal(line.cuts, 1);
  assert.equal(await document(server, base, "notes/1"), undefined);
  await session.saveChanges();
  assert.deepEqual(await names(base, "notes/1"), ["a"]);
});

onRavenDb("contents reach RavenDB while the caller still sends them", async (t, server) => {
  let hasSome;
  const some = new Promise((resolve) => {
    hasSome = resolve;
  });
  const upstream = http.createServer(async (request, response) => {
    let count = 0;
    for await (const piece of request) {
      count += piece.length;
      if (count > 50_000) hasSome();
    }
    const Results = [
      { Type: "PUT", "@id": "drops/1" },
      { Type: "AttachmentPUT", Id: "drops/1", Size: count },
    ];
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ Results }));
  });
  const port = await listen(upstream);
  after(t, () => upstream.close());
  const { base, url } = await served(t, server, {
    options: { ...OPTIONS, upstream: `http://127.0.0.1:${port}` },
  });
  const Commands = [
    { Type: "PUT", Id: "drops/1", ChangeVector: "", Document: of("Drops") },
    { Type: "AttachmentPUT", Id: "drops/1", Name: "a", ChangeVector: null },
  ];
  const part = (type, text) => `--xx\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`;
  const sent = http.request(`${url}/databases/${base}/bulk_docs`, {
    method: "POST",
    headers: { "content-type": "multipart/mixed; boundary=xx", "x-user": "ann" },
  });
  sent.write(
    part("application/json", JSON.stringify({ Commands })) +
      part("application/octet-stream", "").slice(0, -2),
  );
  sent.write(zeros(100_000));
  await some;
  sent.end(Buffer.concat([zeros(100_000), Buffer.from("\r\n--xx--\r\n")]));
  const [response] = await once(sent, "response");
  assert.equal(response.statusCode, 201);
});
