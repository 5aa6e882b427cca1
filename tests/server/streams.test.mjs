// Streams: when pieces are read, what ends a stream, and that a truncated or malformed response is never taken for a
// complete one.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  DeleteByQueryOperation,
  DocumentStore,
  GetOperationStateOperation,
  IndexQuery,
  PatchByQueryOperation,
  PatchOperation,
  PatchRequest,
} from "../../pkg/dist/entries/node.js";
import { after } from "../support/cleanup.mjs";
import { cut, feed, pieces, responseOf, streamed } from "../support/feed.mjs";
import { kill } from "../support/kill.mjs";
import { authority, missing, ravendb, send } from "../support/server.mjs";
import { failure, storesOf, within } from "../support/store.mjs";

// The instance of pkg/lib is inside of its file; that of pkg/dist can be killed.
const { open, prepared } = storesOf(DocumentStore);

const LIMIT = { timeout: 20_000 };

/** A session whose streams the test feeds. */
function fed(t, next, { timeout, ...options } = {}) {
  const source = feed(next, options);
  const store = new DocumentStore("http://127.0.0.1:1", "d", { fetch: source.fetch, timeout });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  after(t, () => store.dispose());
  const session = store.openSession();
  return Object.assign(source, { store, session, stream: (...given) => session.advanced.stream(...given) });
}

async function all(stream) {
  const found = [];
  for await (const { document } of stream) found.push(document.n);
  return found;
}

/** The documents before a stream failed, and the error. */
async function broken(stream) {
  const seen = [];
  const error = await failure(
    (async () => {
      for await (const { document } of stream) seen.push(document.n);
    })(),
  );
  return { seen, error };
}

const never = () => new Promise(() => {});

suite("a stream", LIMIT, () => {
  test("can be iterated directly or awaited first", async (t) => {
    const { stream } = fed(t, (pull) => pieces([responseOf(3)])(pull % 2));
    assert.deepEqual(await all(stream("orders/")), [1, 2, 3]);
    assert.deepEqual(await all(await stream({ startsWith: "orders/", pageSize: 3 })), [1, 2, 3]);
  });

  test("yields the same documents however the response is split", async (t) => {
    const text = `{"Results":[${streamed(1, { text: 'ü🧀"}],\\' })},${streamed(2)}]}`;
    for (let size = 1; size < 40; size++) {
      const { stream } = fed(t, pieces(cut(text, size)));
      const found = [];
      for await (const { document } of stream("orders/")) found.push([document.n, document.text]);
      assert.deepEqual(found, [
        [1, 'ü🧀"}],\\'],
        [2, undefined],
      ]);
    }
  });

  test("reads the next piece when the documents of the last one are used up", async (t) => {
    const list = [`{"Results":[${streamed(1)},${streamed(2)}`, `,${streamed(3)},${streamed(4)}`, "]}"];
    const source = fed(t, pieces(list));
    const documents = await source.stream("orders/");
    assert.equal(source.pulls, 0);
    const pulls = [];
    for await (const _ of documents) pulls.push(source.pulls);
    assert.deepEqual(pulls, [1, 1, 2, 2]);
  });

  test("resolves concurrent calls of next in order", async (t) => {
    const { stream } = fed(t, pieces(cut(responseOf(4), 50)));
    const documents = await stream("orders/");
    const found = await Promise.all(Array.from({ length: 6 }, () => documents.next()));
    assert.deepEqual(
      found.map(({ value, done }) => (done ? "end" : value.document.n)),
      [1, 2, 3, 4, "end", "end"],
    );
  });

  test("gives a call of next during iteration the following document", async (t) => {
    const { stream } = fed(t, pieces([responseOf(3)]));
    let second;
    const documents = await stream(new IndexQuery("from Orders"), () => {
      second = documents.next();
    });
    const { value } = await documents.next();
    assert.deepEqual([value.document.n, (await second).value.document.n], [1, 2]);
  });

  test("ends its request when the iteration is left", async (t) => {
    const endless = (pull) => (pull === 0 ? `{"Results":[${streamed(0)}` : `,${streamed(pull)}`);
    const leave = {
      "by break": async (documents) => {
        for await (const _ of documents) break;
      },
      "by an error": async (documents) => {
        const mine = async () => {
          for await (const _ of documents) throw new RangeError("mine");
        };
        assert.equal((await failure(mine())).name, "RangeError");
      },
      "before its first document": async (documents) => documents.return(),
      "by await using": async (documents) =>
        documents[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")](),
    };
    for (const [how, end] of Object.entries(leave)) {
      const source = fed(t, endless);
      const documents = await source.stream("orders/");
      await end(documents);
      assert.deepEqual([source.cancelled, source.signal.aborted], [true, true], how);
      assert.ok(source.pulls <= 1, how);
      assert.deepEqual(await documents.next(), { value: undefined, done: true });
    }
  });

  test("goes on after its session was disposed of", async (t) => {
    const source = fed(t, pieces([`{"Results":[${streamed(1)}`, `,${streamed(2)}]}`]));
    const documents = await source.stream("orders/");
    assert.equal((await documents.next()).value.document.n, 1);
    source.session.dispose();
    assert.equal(source.signal.aborted, false);
    assert.equal((await documents.next()).value.document.n, 2);
    assert.equal((await documents.next()).done, true);
  });

  test("ends with its store", async (t) => {
    const source = fed(t, pieces([`{"Results":[${streamed(1)}`, `,${streamed(2)}]}`]));
    const documents = await source.stream("orders/");
    await documents.next();
    await source.store.dispose();
    assert.equal((await failure(documents.next())).code, "Disposed");
    assert.equal(source.signal.aborted, true);
  });

  test("ends when its instance dies", async (t) => {
    const source = fed(t, (pull) => (pull === 0 ? `{"Results":[${streamed(1)}` : never()));
    const documents = await source.stream("orders/");
    await documents.next();
    const next = failure(documents.next());
    kill();
    assert.equal((await within(5_000, next)).code, "Dead");
    assert.equal(source.signal.aborted, true);
    const { stream } = fed(t, pieces([responseOf(2)]));
    assert.deepEqual(await all(stream("orders/")), [1, 2], "the next stream has a new instance");
  });

  test("is aborted when no data arrives", async (t) => {
    const source = fed(t, (pull) => (pull === 0 ? `{"Results":[${streamed(1)}` : never()), { timeout: 50 });
    const { seen, error } = await broken(source.stream("orders/"));
    assert.deepEqual([seen, error.code, source.signal.aborted], [[1], "Timeout", true]);
    assert.match(error.request, /^GET \/databases\/d\/streams\/docs$/);
  });

  test("waits for the app, however long it takes", async (t) => {
    const source = fed(t, pieces([`{"Results":[${streamed(1)}`, `,${streamed(2)}]}`]), { timeout: 30 });
    const found = [];
    for await (const { document } of source.stream("orders/")) {
      found.push(document.n);
      const later = performance.now() + 60;
      while (performance.now() < later) await new Promise(setImmediate);
    }
    assert.deepEqual(found, [1, 2]);
  });

  test("that breaks off yields the received documents and then an error", async (t) => {
    const source = fed(t, pieces([`{"Results":[${streamed(1)}`, new TypeError("terminated")]));
    const { seen, error } = await broken(source.stream("orders/"));
    assert.deepEqual([seen, error.code], [[1], "Unreachable"]);
    assert.match(error.message, /after 1 documents: terminated/);
  });

  test("that is truncated anywhere is an error, never a shorter stream", async (t) => {
    const text = `{"Results":[${streamed(1)},${streamed(2)}]}`;
    for (let end = 0; end < text.length; end += end > 6 && end < text.length - 6 ? 7 : 1) {
      const { stream } = fed(t, pieces([text.slice(0, end)].filter(Boolean)));
      const { error } = await broken(stream("orders/"));
      assert.deepEqual([error.name, error.code], ["RavenException", "BadAnswer"], text.slice(0, end));
    }
  });

  test("with a malformed response is an error", async (t) => {
    for (const text of [
      "<html>",
      "[]",
      "{}",
      '{"Results":{}}',
      '{"Other":[{}]}',
      '{"Results":[1]}',
      '{"Results":[{}]}',
      '{"Results":[{"a":1.}]}',
      '{"Results":[{"a":}]}',
      '{"Results":[{]}',
      '{"Results":[]}[]',
      '{x:1,"Results":[]}',
    ]) {
      const { error } = await broken(fed(t, pieces([text])).stream("orders/"));
      assert.deepEqual([error.code, typeof error.request], ["BadAnswer", "string"], text);
    }
  });

  test("reports an error in the middle with its type", async (t) => {
    const type = "Raven.Client.Exceptions.Documents.Patching.JavaScriptException";
    const end = `],"Error":"${type}: no \\"x\\"\\n at f"{"Url":"/","Type":"${type}"}`;
    for (const piece of [1, 20, 1_000]) {
      const { stream } = fed(t, pieces(cut(`{"Results":[${streamed(1)}${end}`, piece)));
      const { seen, error } = await broken(stream(new IndexQuery("from Orders")));
      assert.deepEqual(
        [seen, error.code, error.name, error.message],
        [[1], "Server", "JavaScriptException", 'no "x"'],
      );
    }
  });

  test("with a huge document keeps only that one in memory", async (t) => {
    const text = "x".repeat(8_000_000);
    const { stream } = fed(t, pieces(cut(`{"Results":[${streamed(1, { text })},${streamed(2)}]}`, 64_000)));
    const found = [];
    for await (const { document } of stream("orders/")) found.push(document.text?.length);
    assert.deepEqual(found, [8_000_000, undefined]);
  });

  test("reports statistics before the documents", async (t) => {
    const text = `{"ResultEtag":5,"IsStale":true,"IndexName":"Ü","TotalResults":1,"IndexTimestamp":"2026-11-22T08:00:58.1373621Z","Results":[${streamed(1)}]}`;
    const source = fed(t, pieces(cut(text, 10)));
    const query = new IndexQuery("from Orders where n = $n");
    query.queryParameters = { n: 1 };
    const items = [];
    for await (const _ of source.stream(query, (statistics) => items.push(statistics)))
      items.push("document");
    const indexTimestamp = new Date("2026-11-22T08:00:58.137Z");
    assert.deepEqual(items, [
      { resultEtag: 5, isStale: true, indexName: "Ü", totalResults: 1, indexTimestamp },
      "document",
    ]);
    const [{ method, url, body }] = source.requests;
    assert.deepEqual(
      [method, url, JSON.parse(body)],
      [
        "POST",
        "http://127.0.0.1:1/databases/d/streams/queries",
        { Query: "from Orders where n = $n", QueryParameters: { n: 1 } },
      ],
    );
  });

  test("accepts all kinds of queries", async (t) => {
    const source = fed(t, () => responseOf(0), {});
    class Order {}
    const query = { indexQuery: async () => '{"Query":"from Orders"}', documentType: Order };
    const found = fed(t, pieces([responseOf(1)]));
    for await (const { document } of found.stream(query)) assert.ok(document instanceof Order);
    assert.equal(found.requests[0].body, '{"Query":"from Orders"}');
    for (const none of [undefined, null, 5, {}, new IndexQuery(" ")])
      assert.equal((await failure(source.stream(none))).code, "InvalidArgument");
    assert.deepEqual(source.requests, []);
  });

  test("that cannot begin reports its error once", async (t) => {
    const unhandled = [];
    const listen = (error) => unhandled.push(error);
    process.on("unhandledRejection", listen);
    const { stream } = fed(t, pieces(['{"Type":"X","Message":"no"}']), { status: 500 });
    assert.equal((await broken(stream("orders/"))).error.message, "no");
    await new Promise((resolve) => setTimeout(resolve));
    process.off("unhandledRejection", listen);
    assert.deepEqual(unhandled, []);
  });

  test("notifies the session's listeners of its entities", async (t) => {
    const { session, stream } = fed(t, pieces([responseOf(2)]));
    const log = [];
    session.advanced.on("beforeConversionToEntity", ({ id }) => log.push(`before ${id}`));
    session.advanced.on("afterConversionToEntity", ({ entity }) => {
      log.push(`after ${entity.id}`);
      entity.n *= 10;
    });
    assert.deepEqual(await all(stream("orders/")), [10, 20]);
    assert.deepEqual(log, ["before orders/1-A", "after orders/1-A", "before orders/2-A", "after orders/2-A"]);
  });
});

test("a server that stops in the middle of a stream causes an error", {
  skip: missing(ravendb),
  ...LIMIT,
}, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const Commands = Array.from({ length: 200 }, (_, n) => ({ Type: "PUT", Id: `s/${n}`, Document: { n } }));
  await send(ravendb.url, "POST", `/databases/${name}/bulk_docs`, { Commands });
  assert.equal((await all(session.advanced.stream("s/"))).length, 200);
  wire.rule = ({ path }) => (/streams/.test(path) ? { cut: 10_000 } : undefined);
  const { seen, error } = await broken(session.advanced.stream("s/"));
  assert.ok(seen.length < 200 && error.code === "Unreachable", `${seen.length} ${error.code}`);
  wire.rule = ({ path }) => (/streams/.test(path) ? "drop" : undefined);
  const other = open(t, [wire.url, ravendb.url], name).openSession();
  assert.equal(
    (await all(other.advanced.stream("s/"))).length,
    200,
    "another node takes over before the first byte",
  );
});

test("the authority responds that streams need a real RavenDB", {
  skip: missing(authority),
  ...LIMIT,
}, async (t) => {
  const { session, store } = await prepared(t, authority);
  const patch = PatchRequest.forScript("this.n = 1");
  for (const refused of [
    () => session.advanced.stream("orders/"),
    () => session.advanced.stream(new IndexQuery("from Orders")),
    () => store.operations.send(new PatchByQueryOperation("from Orders update { this.n = 1 }")),
    () => store.operations.send(new DeleteByQueryOperation("from Orders")),
    () => store.operations.send(new PatchOperation("orders/1-A", null, patch)),
    () => store.maintenance.send(new GetOperationStateOperation(1)),
  ]) {
    const { status, message } = await failure(refused());
    assert.equal(status, 501);
    assert.match(message, /use a RavenDB server/);
  }
});
