// POST bulk_docs; the return script is in returns.mjs.
const json = { "Content-Type": "application/json" };
const raw = (body, headers = json, query = "") => ({
  method: "POST",
  path: `{D}/bulk_docs${query}`,
  headers,
  body,
});
const bulk = (...commands) => raw(JSON.stringify({ Commands: commands }));
const put = (Id, more = {}) => ({
  Id,
  Type: "PUT",
  ChangeVector: null,
  Document: { v: 1, "@metadata": { "@collection": "C" } },
  ...more,
});
const del = (Id, more = {}) => ({ Id, Type: "DELETE", ...more });
const get = (...ids) => ({ path: `{D}/docs?${ids.map((id) => `id=${encodeURIComponent(id)}`).join("&")}` });
const P = (id) => `{"Id":"${id}","Type":"PUT","Document":{"v":1,"@metadata":{"@collection":"C"}}}`;
const script = (text) => JSON.stringify(text);

export default [
  {
    name: "put, put again, get",
    steps: [
      bulk(put("p/1", { ChangeVector: "" }), put("p/2")),
      get("p/1", "p/2"),
      (s) => bulk(put("p/1", { ChangeVector: s.vector(0) })),
      { ...bulk(put("p/1", { ChangeVector: "" })), names: "p/1" },
    ],
  },
  {
    name: "put without collection, in other letter case",
    steps: [
      bulk(put("pc/1", { Document: { n: 1.5 } }), put("PC/1", { Document: { "@metadata": { "@x": 1 } } })),
      get("pc/1"),
    ],
  },
  {
    name: "put, delete, put in one batch",
    steps: [bulk(put("pd/1"), del("pd/1"), put("pd/1", { ChangeVector: "" }), put("PD/1")), get("pd/1")],
  },
  {
    name: "delete: there, in other letter case, again, never there",
    steps: [
      bulk(put("d/1"), put("d/2")),
      bulk(del("d/1", { ChangeVector: null }), del("D/2"), del("d/1"), del("d/never")),
      get("d/1", "d/2"),
    ],
  },
  {
    name: "delete without an id",
    steps: [
      bulk(del(null), del("")),
      raw('{"Commands":[{"Type":"DELETE"}]}'),
      bulk(del("pipe|"), del("slash/")),
    ],
  },
  {
    name: "delete with a vector",
    steps: [
      bulk(put("dv/1")),
      bulk(del("dv/1", { ChangeVector: "x" })),
      bulk(del("dv/1", { ChangeVector: "" })),
      (s) => bulk(del("DV/1", { ChangeVector: s.vector(0) })),
      bulk(del("dv/1", { ChangeVector: "x" })),
      bulk(del("dv/1", { ChangeVector: "" })),
      bulk(del("dv/never", { ChangeVector: "" })),
      bulk(del("dv/never", { ChangeVector: "x" })),
    ],
  },
  { name: "delete ignores a document", steps: [bulk(put("dd/1")), bulk(del("dd/1", { Document: {} }))] },
  {
    name: "a conflict aborts all, whichever command it is",
    steps: [
      bulk(put("c/1")),
      bulk(put("c/new", { ChangeVector: "" }), put("c/1", { ChangeVector: "" })),
      get("c/new"),
      bulk(put("c/1", { ChangeVector: "stale" }), put("c/new")),
      get("c/new"),
      bulk(del("c/1"), del("c/never", { ChangeVector: "x" })),
      get("c/1"),
      bulk(put("c/new", { ChangeVector: "" })),
    ],
  },
  {
    name: "a vector for a missing document",
    steps: [
      { ...bulk(put("nt/1", { ChangeVector: "zzz" })), names: "nt/1" },
      bulk(put("nt/1"), del("nt/1")),
      bulk(put("nt/1", { ChangeVector: "zzz" })),
      bulk(put("nt/1", { ChangeVector: "" })),
    ],
  },
  {
    name: "a collection's change aborts all",
    steps: [
      bulk(put("k/1")),
      bulk(put("k/2"), put("k/1", { Document: { "@metadata": { "@collection": "D" } } })),
      get("k/1", "k/2"),
    ],
  },
  {
    name: "ids refused",
    steps: [
      { ...bulk(put("i/\u0001")), names: "i/" },
      { ...bulk(put("x".repeat(513))), names: "513" },
      { ...bulk(del("x".repeat(513))), names: "513" },
    ],
  },
  {
    name: "metadata of the server is stripped",
    steps: [
      bulk(
        put("m/1", {
          Document: {
            "@metadata": {
              "@id": "zz",
              "@change-vector": "q",
              "@last-modified": "2026-11-21T14:44:21.3094447Z",
              "@flags": "HasRevisions",
              "@etag": 5,
              "@index-score": 1,
              "@counters": ["a"],
              "@archived": true,
              "@collection": "C",
              "@x": 1,
              y: [1],
            },
          },
        }),
      ),
      get("m/1"),
    ],
  },
  ...[
    ["@last-modified", '"w"'],
    ["@last-modified", '""'],
    ["@last-modified", '"2026-11-21"'],
    ["@last-modified", "null"],
    ["@id", "5"],
    ["@id", "null"],
    ["@change-vector", "5"],
    ["@flags", "{}"],
    ["@counters", "5"],
  ].map(([name, value]) => ({
    name: `metadata refused: ${name} ${value}`,
    steps: [
      { ...raw(`{"Commands":[{"Type":"PUT","Id":"mr/1","Document":{"@metadata":{"${name}":${value}}}}]}`) },
    ],
  })),
  {
    name: "a null vector in metadata is taken",
    steps: [
      raw('{"Commands":[{"Type":"PUT","Id":"mr/2","Document":{"@metadata":{"@change-vector":null}}}]}'),
    ],
  },
  {
    name: "times in metadata with fewer digits",
    steps: ["2026-11-21T14:44:21.309Z", "2026-11-21T14:44:21Z", "2026-11-21T14:44:21.3094447"].map((t) =>
      bulk(put("mt/1", { Document: { "@metadata": { "@last-modified": t } } })),
    ),
  },
  ...["null", '"x"', "5", "[]"].map((value) => ({
    name: `metadata refused: ${value}`,
    steps: [raw(`{"Commands":[{"Type":"PUT","Id":"mn/1","Document":{"@metadata":${value}}}]}`)],
  })),
  ...[
    "",
    "{",
    '{"Commands":[',
    '{"Commands":[{"Id":"t/1","Document":{},"Type":"PUT"}',
    '{"Commands":[{"Id":"t/1","Document":{},"Type":"PUT"}]',
    "[]",
    "null",
    "{}",
    '"x"',
    "true",
  ].map((body) => ({ name: `body refused: '${body}'`, steps: [raw(body), get("t/1")] })),
  ...["null", "{}", '"x"', "5", "true", "[1]", "[null]", '["x"]', "[[]]"].map((value) => ({
    name: `Commands refused: ${value}`,
    steps: [raw(`{"Commands":${value}}`)],
  })),
  {
    name: "Commands must come first, spelt so",
    steps: [
      raw('{"TransactionMode":"SingleNode","Commands":[]}'),
      raw('{"commands":[]}'),
      raw('{"Commands":[]}'),
    ],
  },
  ...[
    "{}",
    '{"Id":"a/1"}',
    '{"Type":null}',
    '{"Type":5}',
    '{"Type":"put","Id":"a/1","Document":{}}',
    '{"Type":"FROB"}',
    '{"Type":"PUT","Id":"a/1"}',
    '{"Type":"PUT","Id":"a/1","Document":null}',
    '{"Type":"PUT","Id":"a/1","Document":[]}',
    '{"Type":"PUT","Id":"a/1","Document":5}',
    '{"Type":"PUT","Id":"a/1","Document":"x"}',
    '{"Type":"PUT","Id":5,"Document":{}}',
    '{"Type":"PUT","Id":"a/1","ChangeVector":5,"Document":{}}',
    '{"Type":"DELETE","Id":"a/1","IdPrefixed":5}',
    '{"Type":"PUT","Id":"a/1","Document":{},"X":[1]}',
    '{"Type":"PUT","Id":"a/1","Document":{},"X":[]}',
  ].map((command) => ({
    name: `command refused: ${command}`,
    steps: [raw(`{"Commands":[${P("fine/1")},${command}]}`), get("fine/1")],
  })),
  {
    name: "a misspelt command anywhere is refused before any conflict",
    steps: [bulk(put("o/1", { ChangeVector: "x" }), { Type: "FROB" })],
  },
  {
    name: "members in any order, unknown ones, the last of two",
    steps: [
      raw(`{"Commands":[{"Document":{"v":1},"X":1,"Y":{"a":[1]},"Z":null,"Id":"mm/1","Type":"PUT"}]}`),
      raw('{"Commands":[{"Id":"mm/1","Type":"PUT","Document":{},"Id":"mm/2"}]}'),
      get("mm/1", "mm/2"),
    ],
  },
  {
    name: "what may follow Commands",
    steps: [
      '"TransactionMode":"SingleNode"',
      '"TransactionMode":"Frob"',
      '"TransactionMode":null',
      '"Options":null',
      '"Options":{"a":[1]}',
      '"X":[1]',
      '"TransactionMode":"SingleNode","X":1',
    ]
      .map((rest) => raw(`{"Commands":[${P("wf/1")}],${rest}}`))
      .concat([raw(`{"Commands":[${P("wf/1")}]}garbage`)]),
  },
  {
    name: "heartbeats have no result; a noReply batch has no results at all",
    steps: [
      raw(`{"Commands":[{"Type":"HeartBeat"},${P("hb/1")}]}`),
      raw(`{"Commands":[${P("hb/2")}]}`, json, "?noReply=true"),
      get("hb/1", "hb/2"),
    ],
  },
  {
    name: "content types",
    steps: [
      {},
      ...[
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/jsonx",
        "text/plain",
        "application/x-www-form-urlencoded",
        "text/plain;charset=UTF-8",
      ].map((t) => ({ "Content-Type": t })),
    ].map((headers) => raw('{"Commands":[]}', headers)),
  },
  {
    name: "an empty content type is unknown",
    needs: "empty headers",
    steps: [raw('{"Commands":[]}', { "Content-Type": "" })],
  },
  {
    name: "wrong methods",
    steps: [{ method: "PUT", path: "{D}/bulk_docs", body: "{}" }, { path: "{D}/bulk_docs" }],
  },
  ...[
    "",
    ',"Patch":null',
    ',"Patch":5',
    ',"Patch":{}',
    ',"Patch":{"Script":null}',
    ',"Patch":{"Script":5}',
    `,"Patch":{"Script":${script("x")}},"PatchIfMissing":null`,
  ].map((rest) => ({
    name: `patch refused: ${rest}`,
    steps: [raw(`{"Commands":[{"Id":"Raven/Hilo/pr","Type":"PATCH"${rest}}]}`)],
  })),
  {
    name: "numbers in a batch come back as written",
    steps: [
      raw(
        '{"Commands":[{"Type":"PUT","Id":"nf/1","Document":{"a":9007199254740993,"b":1.10,"c":1E5,"d":-0.0}}]}',
      ),
      get("nf/1"),
    ],
  },
  ...[
    "waitForIndexesTimeout=00:00:05&waitForIndexThrow=true",
    "waitForIndexesTimeout=00:00:05&waitForSpecificIndex=Nope",
    "waitForIndexesTimeout=5",
    "waitForIndexesTimeout=abc",
    "waitForIndexesTimeout=",
    "waitForIndexesTimeout=24:00",
    "waitForIndexesTimeout=00:00:05&waitForIndexThrow=x",
    "waitForIndexThrow=x",
    "waitForReplicasTimeout=00:00:00.1&numberOfReplicasToWaitFor=1&throwOnTimeoutInWaitForReplicas=true",
    "waitForReplicasTimeout=00:00:00.1&numberOfReplicasToWaitFor=1&throwOnTimeoutInWaitForReplicas=false",
    "waitForReplicasTimeout=00:00:00.1",
    "waitForReplicasTimeout=00:00:05&numberOfReplicasToWaitFor=majority",
    "waitForReplicasTimeout=00:00:05&numberOfReplicasToWaitFor=0",
    "waitForReplicasTimeout=00:00:05&numberOfReplicasToWaitFor=x",
    "waitForReplicasTimeout=zz",
    "numberOfReplicasToWaitFor=1",
    "numberOfReplicasToWaitFor=x",
    "throwOnTimeoutInWaitForReplicas=x",
  ].map((query, i) => ({
    name: `wait: ${query}`,
    steps: [raw(`{"Commands":[${P(`wait/${i}`)}]}`, json, `?${query}`), get(`wait/${i}`)],
  })),
  {
    name: "wait: nothing to wait for, still too few nodes; inside multi_get",
    steps: [
      raw('{"Commands":[]}', json, "?waitForReplicasTimeout=00:00:00.1"),
      {
        method: "POST",
        path: "{D}/multi_get",
        body: '{"Requests":[{"Url":"{D}/bulk_docs","Query":"?waitForReplicasTimeout=00:00:00.1","Method":"POST","Content":{"Commands":[]}}]}',
      },
    ],
  },
].map((c) => ({ ...c, name: `bulk_docs: ${c.name}` }));
