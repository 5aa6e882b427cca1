// Features of RavenDB that the authority lacks: 501 with an error body, never something plausible.
import { MOVE_SCRIPT } from "../../support/script.mjs";

const json = { "Content-Type": "application/json" };
const bulk = (command, more = "", query = "") => ({
  method: "POST",
  path: `{D}/bulk_docs${query}`,
  headers: json,
  body: `{"Commands":[${JSON.stringify(command)}]${more}}`,
});
const put = (metadata) => ({
  method: "PUT",
  path: "{D}/docs?id=r/1",
  body: JSON.stringify({ "@metadata": metadata }),
});
const get = (query) => ({ path: `{D}/docs?${query}` });

export default [
  ["queries", { method: "POST", path: "{D}/queries", body: '{"Query":"from Users"}' }],
  ["queries by GET", { path: "{D}/queries?query=from%20Users" }],
  ["streams", { path: "{D}/streams/docs?startsWith=a" }],
  ["identities from an entry of the log on", { path: "{D}/debug/identities?start=5" }, "start"],
  ["compare-exchange", { path: "{D}/cmpxchg?key=a" }],
  ["indexes", { method: "PUT", path: "{D}/admin/indexes", body: "{}" }],
  ["attachments", { method: "PUT", path: "{D}/attachments?id=a&name=b", body: "x" }],
  ["revisions", { path: "{D}/revisions?id=a" }],
  ["counters", { method: "POST", path: "{D}/counters", body: "{}" }],
  ["changes", { path: "{D}/changes" }],
  ["detailed statistics", { path: "{D}/stats/detailed" }],
  ["size of a document", { path: "{D}/docs/size?id=a" }],
  ["PATCH docs", { method: "PATCH", path: "{D}/docs?id=a", body: '{"Patch":{"Script":"this.a=1"}}' }],
  ["the studio", { path: "/" }, "", { needs: "root" }],
  ["list of databases", { path: "/databases" }, "", { needs: "root" }],
  ["cluster routes", { path: "/cluster/topology" }, "", { needs: "root" }],
  ...["Map.$Keys", "Map.$Values", "Tags[0]", "Nested[][]", "N(n)", "N[n/{0}]"].map((path) => [
    `include ${path}`,
    get(`id=Raven/Hilo/inc&id=a&include=${encodeURIComponent(path)}`),
    "include",
  ]),
  ["counter includes", get("id=a&counter=Likes"), "counter"],
  ["time series includes", get("id=a&timeseries=HeartRate"), "timeseries"],
  ["cluster-wide load", get("id=a&txMode=ClusterWide"), "txMode"],
  ["listing from an etag", get("etag=5"), "etag"],
  ["another script", bulk({ Type: "PATCH", Id: "a", Patch: { Script: "this.Max = 1" } }), "args.fence"],
  [
    "the script with an additional blank",
    bulk({
      Type: "PATCH",
      Id: "a",
      Patch: {
        Script: `${MOVE_SCRIPT} `,
      },
    }),
    "args.fence",
  ],
  [
    "PatchIfMissing",
    bulk({ Type: "PATCH", Id: "a", Patch: { Script: "x" }, PatchIfMissing: { Script: "y" } }),
    "PatchIfMissing",
  ],
  [
    "CreateIfMissing",
    bulk({ Type: "PATCH", Id: "a", Patch: { Script: "x" }, CreateIfMissing: {} }),
    "CreateIfMissing",
  ],
  [
    "ReturnDocument",
    bulk({ Type: "PATCH", Id: "a", Patch: { Script: "x" }, ReturnDocument: true }),
    "ReturnDocument",
  ],
  ["deletion by prefix", bulk({ Type: "DELETE", Id: "a", IdPrefixed: true }), "IdPrefixed"],
  ...[
    "BatchPATCH",
    "ForceRevisionCreation",
    "BatchTrackChanges",
    "CompareExchangePUT",
    "CompareExchangeDELETE",
    "AttachmentPUT",
    "Counters",
    "TimeSeries",
    "JsonPatch",
  ].map((Type) => [`command ${Type}`, bulk({ Type, Id: "a" }), Type]),
  [
    "cluster-wide transaction",
    bulk({ Type: "PUT", Id: "a", Document: {} }, ',"TransactionMode":"ClusterWide"'),
    "ClusterWide",
  ],
  [
    "attachments in a batch",
    {
      method: "POST",
      path: "{D}/bulk_docs",
      headers: { "Content-Type": "multipart/mixed; boundary=x" },
      body: "--x--",
    },
    "multipart",
  ],
  ["@expires", put({ "@expires": "2030-01-01T00:00:00.0000000Z" }), "@expires"],
  ["@refresh", put({ "@refresh": "2030-01-01T00:00:00.0000000Z" }), "@refresh"],
  [
    "compressed bodies",
    { method: "PUT", path: "{D}/docs?id=gz", headers: { "Content-Encoding": "gzip" }, body: "x" },
    "gzip",
  ],
  [
    "multi_get inside multi_get",
    {
      method: "POST",
      path: "{D}/multi_get",
      body: '{"Requests":[{"Url":"{D}/multi_get","Query":"","Method":"POST","Content":{"Requests":[]}}]}',
    },
    "multi_get",
    { inner: true },
  ],
  [
    "queries inside multi_get",
    {
      method: "POST",
      path: "{D}/multi_get",
      body: '{"Requests":[{"Url":"{D}/queries","Query":"","Method":"POST","Content":{"Query":"from U"}}]}',
    },
    "queries",
    { inner: true },
  ],
].map(([name, step, names = "", more = {}]) => ({ name, steps: [step], names, ...more }));
