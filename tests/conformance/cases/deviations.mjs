// Deliberate deviations of the authority: RavenDB's response, and the authority's instead. Both sides are asserted,
// so that a deviation that disappears on either side is noticed.
import assert from "node:assert/strict";

const json = { "Content-Type": "application/json" };
const multi = (...requests) => ({
  method: "POST",
  path: "{D}/multi_get",
  headers: json,
  body: JSON.stringify({ Requests: requests }),
});
const put = (id, body) => ({ method: "PUT", path: `{D}/docs?id=${id}`, body });
const get = (id) => ({ path: `{D}/docs?id=${id}` });
const refused = (status, type) => (responses) => {
  const last = responses.at(-1);
  assert.equal(last.status, status);
  assert.equal(JSON.parse(last.text).Type, type);
  assert.notEqual(JSON.parse(last.text).Message, "");
};
const notImplemented = refused(501, "System.NotImplementedException");
const status = (wanted) => (responses) => assert.equal(responses.at(-1).status, wanted);

/** The first number of the range that the last response grants; JavaScript would round it. */
const low = (wanted) => (responses) => assert.match(responses.at(-1).text, new RegExp(`"Low":${wanted},`));

export default [
  ...[
    ["9007199254740993.0", "9007199254740993", "9007199254740994"],
    ["0.99999999999999999999", "2", "1"],
  ].map(([max, rounded, exact], at) => ({
    name: `a stored "Max" of ${max}: RavenDB rounds it to a double, the authority does not`,
    steps: [
      put(`Raven/Hilo/exact${at}`, `{"Max":${max},"@metadata":{"@collection":"@hilo"}}`),
      { path: `{D}/hilo/next?tag=exact${at}` },
    ],
    reference: low(rounded),
    subject: low(exact),
  })),
  {
    name: "a grant beyond 64 bits: RavenDB wraps around, the authority refuses and grants nothing",
    steps: [{ path: "{D}/hilo/next?tag=wrap&lastMax=9223372036854775800" }],
    reference: (responses) => assert.match(responses[0].text, /"High":-9223372036854775784/),
    subject: refused(500, "System.OverflowException"),
  },
  {
    name: "a tag that ends in a slash: RavenDB grants the same range every time",
    steps: [{ path: "{D}/hilo/next?tag=trap%2F" }, { path: "{D}/hilo/next?tag=trap%2F" }],
    reference: (responses) =>
      assert.equal(JSON.parse(responses[0].text).Low, JSON.parse(responses[1].text).Low),
    subject: notImplemented,
  },
  {
    name: "an identity at the end of its range: RavenDB wraps around, the authority refuses",
    steps: [
      { method: "POST", path: "{D}/identity/seed?name=end&value=9223372036854775807" },
      { method: "POST", path: "{D}/identity/next?name=end" },
    ],
    reference: (responses) => assert.match(responses[1].text, /-9223372036854775808/),
    subject: refused(500, "System.OverflowException"),
  },
  // Not sent to the reference: about 2,040 bytes stop all commands of its cluster.
  ...[`name=${"i".repeat(513)}`, `name=a&raft-request-id=${"r".repeat(513)}`].map((query) => ({
    name: `identities: a name longer than an id can be: ${query.slice(0, 25)}`,
    steps: [{ method: "POST", path: `{D}/identity/next?${query}` }],
    reference: status(200),
    subject: refused(500, "System.ArgumentException"),
  })),
  ...[
    "{'a':1}",
    '{"a":1,}',
    '{"a":[1,]}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":-Infinity}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":[1 2]}',
    '{"a":1.}',
    '{"a":"\u0001"}',
    '{"a":"\\ud800"}',
  ].map((body) => ({
    name: `invalid JSON: ${JSON.stringify(body)}`,
    steps: [put("lenient", body)],
    reference: status(201),
    subject: notImplemented,
  })),
  {
    name: "an escaped surrogate pair: RavenDB keeps two replacement characters, the authority the character",
    steps: [put("surrogates", '{"a":"\\ud83d\\ude00"}'), get("surrogates")],
    reference: (responses) => assert.match(responses[1].text, /"a":"\ufffd\ufffd"/),
    subject: (responses) => assert.match(responses[1].text, /"a":"\u{1F600}"/u),
  },
  {
    name: "the server's own metadata in PUT docs: RavenDB keeps some and shows names twice",
    steps: [put("own", '{"@metadata":{"@flags":"HasRevisions","@etag":5,"k":1,"@id":"q"}}'), get("own")],
    reference: (responses) => assert.match(responses[1].text, /"@etag":5.*"@id":"q".*"@id":"own"/),
    subject: (responses) =>
      assert.match(
        responses[1].text,
        /^\{"Results":\[\{"@metadata":\{"k":1,"@change-vector":"[^"]+","@id":"own",/,
      ),
  },
  ...[
    ["an unknown route", { Url: "{D}/nope", Query: "", Method: "GET" }],
    ["no database in Url", { Url: "/docs", Query: "?id=a", Method: "GET" }],
    ["a query inside Url", { Url: "{D}/docs?id=a", Query: "", Method: "GET" }],
    ["a wrong method", { Url: "{D}/hilo/next", Query: "?tag=x", Method: "POST" }],
  ].map(([what, request]) => ({
    name: `multi_get with ${what}: RavenDB responds with malformed JSON`,
    steps: [multi(request, { Url: "{D}/docs", Query: "?id=none", Method: "GET" })],
    reference: (responses) => {
      assert.equal(responses[0].status, 200);
      assert.throws(() => JSON.parse(responses[0].text));
    },
    subject: (responses) => {
      const [first, second] = JSON.parse(responses[0].text).Results;
      assert.equal(first.StatusCode, 400);
      assert.equal(first.Result.Type, "Raven.Client.Exceptions.Routing.RouteNotFoundException");
      assert.deepEqual(second, { Result: null, StatusCode: 404, Headers: {} });
    },
  })),
  {
    name: "multi_get with Headers null: RavenDB appends an error to half a response",
    steps: [
      multi(
        { Url: "{D}/docs", Query: "?id=none", Method: "GET" },
        { Url: "{D}/docs", Query: "?id=none", Method: "GET", Headers: null },
      ),
    ],
    reference: (responses) => assert.throws(() => JSON.parse(responses[0].text)),
    subject: refused(500, "System.NullReferenceException"),
  },
  {
    name: "multi_get with a method in small letters: RavenDB lists documents instead of loading one",
    steps: [multi({ Url: "{D}/docs", Query: "?id=none", Method: "get" })],
    reference: (responses) => assert.equal(JSON.parse(responses[0].text).Results[0].StatusCode, 200),
    subject: (responses) => assert.equal(JSON.parse(responses[0].text).Results[0].StatusCode, 400),
  },
  {
    name: "ClusterWide not directly after Commands: RavenDB runs it as single node",
    steps: [
      {
        method: "POST",
        path: "{D}/bulk_docs",
        headers: json,
        body: '{"Commands":[],"Options":null,"TransactionMode":"ClusterWide"}',
      },
    ],
    reference: status(201),
    subject: notImplemented,
  },
  {
    name: "a collection that is no name",
    steps: [put("nocollection", '{"@metadata":{"@collection":5}}')],
    reference: status(201),
    subject: notImplemented,
  },
  {
    name: "a batch cut off after what follows Commands",
    steps: [{ method: "POST", path: "{D}/bulk_docs", headers: json, body: '{"Commands":[],"X":1' }],
    reference: status(201),
    subject: refused(500, "System.IO.EndOfStreamException"),
  },
];
