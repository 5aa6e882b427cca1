// GET, HEAD, POST, PUT, DELETE docs (protocol.md §5, §11).
const put = (id, body = "{}", headers = {}) => ({ method: "PUT", path: `{D}/docs?id=${id}`, headers, body });
const get = (query, headers = {}) => ({ path: `{D}/docs?${query}`, headers });
const head = (query, headers = {}) => ({ method: "HEAD", path: `{D}/docs?${query}`, headers });
const del = (id, headers = {}) => ({ method: "DELETE", path: `{D}/docs?id=${id}`, headers });
const post = (body, query = "") => ({ method: "POST", path: `{D}/docs${query}`, body });
const match = (vector) => ({ "If-Match": vector });

const ids = [
  ["users%2F1-A", "plain"],
  ["%C3%BCn%C3%AF%20%E6%97%A5%E6%9C%AC%2B%25%3F%26%23%22'%5C%2F1", "every sign"],
  ["%20lead%2F1%20", "blanks around"],
  ["a%2F%2Fb", "double slash"],
  ["..%2F..%2Fx", "dots"],
  ["%F0%9F%98%80%2F1", "emoji"],
  ["tab%09x", "tab"],
  ["lf%0Ax", "line feed"],
  ["bs%08x", "backspace"],
  ["del%7Fx", "delete"],
  ["%E9", "no UTF-8"],
  ["a%", "percent"],
  ["q?x=1", "question mark"],
  ["q;id=r", "semicolon"],
  ["q=1", "equals"],
  ["inner|pipe", "inner pipe"],
  ["plus+plus", "plus"],
  ["%7Cfirst", "pipe first"],
];

const bodies = [
  [
    '{"a":9007199254740993,"b":9223372036854775808,"c":-0,"d":-0.0,"e":1E5,"f":123456789012345678901234567890.123456789,"g":1.10,"h":1e-400,"i":1e+05,"j":1.0e00}',
    "numbers as written",
  ],
  ['{"a":"é/\\u00e9\\n\\t\\"\\\\","b":"\\u0001","c":"\\u2028<>&\'"}', "strings"],
  [' \n{ "a" : [ 1 , {} , [] , "" , null , true , false ] } \t', "whitespace and every kind"],
  ['{"":1,"a.b":2,"日本":3,"@id":"mine"}', "odd names"],
  ['{"a":1,"a":2,"b":{"c":1,"c":2}}', "duplicate names: the last wins"],
  ['{"a":1} trailing', "text after the object"],
  ['\ufeff{"a":1}', "byte order mark"],
  [`{"a":${"[".repeat(200)}${"]".repeat(200)}}`, "deep nesting"],
  ['{"@metadata":{},"a":1}', "empty metadata"],
  [
    '{"a":1,"@metadata":{"@collection":"C-é |","k":{"n":[1.50]},"Raven-Clr-Type":"App.C, App","@x":1}}',
    "metadata of the client",
  ],
  [
    '{"a":1,"@metadata":{"@collection":"C","@id":"zz","@change-vector":"q","@last-modified":"2026-11-21T14:44:21.3094447Z"}}',
    "metadata of the server sent along",
  ],
  ['{"@metadata":{"a":1},"@metadata":{"k":1}}', "metadata twice"],
];

const refused = [
  ["", "empty"],
  ["{", "truncated"],
  ['{"a":1', "truncated"],
  ['{"a":"x', "truncated"],
  ['{"a":tr', "truncated"],
  ["5", "number"],
  ["[]", "array"],
  ['"x"', "text"],
  ["null", "null"],
  ["true", "true"],
  ['{"a":01}', "leading zero"],
  ['{"a":+1}', "plus"],
  ['{"a":.5}', "point first"],
  ["{a:1}", "bare name"],
  ["/*c*/{}", "comment"],
  ['{"a":/*c*/1}', "comment"],
  ['{"a":"\\x"}', "bad escape"],
  ['{"a":"\\u12"}', "short escape"],
  ['{"a":tru}', "misspelt"],
  ['{"a":1e400}', "overflow"],
  ['{"a":-1e400}', "overflow"],
  ['{"a":[1,,2]}', "two commas"],
  ['{"a":0e0}', "zero with exponent"],
  ['{"@metadata":null}', "metadata null"],
  ['{"@metadata":"x"}', "metadata text"],
  ['{"@metadata":5}', "metadata number"],
  ['{"@metadata":[]}', "metadata array"],
];

export default [
  ...ids.map(([id, what]) => ({
    name: `id: ${what}`,
    steps: [put(id, '{"n":1}'), get(`id=${id}`), head(`id=${id}`), del(id), get(`id=${id}`)],
  })),
  ...bodies.map(([body, what], i) => ({
    name: `body: ${what}`,
    steps: [put(`body%2F${i}`, body), get(`id=body%2F${i}`)],
  })),
  ...refused.map(([body, what], i) => ({
    name: `body refused: ${what} ${body}`,
    steps: [put(`refused%2F${i}`, body), get(`id=refused%2F${i}`)],
  })),
  { name: "no body at all", steps: [put("nobody", undefined)] },
  ...["", "?id=", "?id=%20", "?id", "?id=a&id=b"].flatMap((query) =>
    ["PUT", "DELETE"].map((method) => ({
      name: `${method} refused: '${query}'`,
      steps: [{ method, path: `{D}/docs${query}`, body: method === "PUT" ? "{}" : undefined, names: "id" }],
    })),
  ),
  ...["%00", "%07", "%0B", "%1F"].map((c) => ({
    name: `PUT refused: id with ${c}`,
    steps: [{ ...put(`c${c}c`), names: "\\u00" }, get(`id=c${c}c`), del(`c${c}c`)],
  })),
  {
    name: "ids of 512 bytes, not of 513",
    steps: [
      put("x".repeat(512)),
      { ...put("x".repeat(513)), names: "513" },
      put("%C3%BC".repeat(256)),
      { ...put("%C3%BC".repeat(257)), names: "514" },
      { ...get(`id=${"x".repeat(513)}`), names: "513" },
      get(`id=${"%C3%BC".repeat(257)}`),
      { ...del("x".repeat(513)), names: "513" },
    ],
  },
  {
    name: "ids are the same in any case; a PUT changes the case kept",
    steps: [
      put("Case%2F1-A"),
      get("id=cASE%2F1-a"),
      put("case%2F1-a"),
      get("id=CASE%2F1-A"),
      del("CASE%2F1-A"),
      get("id=case%2F1-a"),
    ],
  },
  {
    name: "every PUT makes another vector, a deleted one never comes back",
    steps: [put("cv%2F1"), put("cv%2F1"), get("id=cv%2F1"), del("cv%2F1"), put("cv%2F1"), get("id=cv%2F1")],
  },
  {
    name: "If-Match: must not exist",
    steps: [
      put("im%2F1", "{}", match('""')),
      { ...put("im%2F1", "{}", match('""')), names: "im/1" },
      del("im%2F1"),
      put("im%2F1", "{}", match('""')),
    ],
  },
  {
    name: "If-Match: empty and blank mean the same",
    needs: "empty headers",
    steps: [
      put("ie%2F1", "{}", match("")),
      { ...put("ie%2F1", "{}", match("")), names: "ie/1" },
      put("ie%2F1", "{}", match(" ")),
      del("ie%2F1", match("")),
      del("ie%2F1"),
      put("ie%2F1", "{}", match("")),
      del("ie%2Fnever", match("")),
    ],
  },
  {
    name: "If-Match: the vector, quoted or not, stale",
    steps: [
      put("im%2F2"),
      (s) => put("im%2F2", '{"n":2}', match(`"${s.vector(0)}"`)),
      (s) => put("im%2F2", '{"n":3}', match(s.vector(1))),
      (s) => ({ ...put("im%2F2", '{"n":4}', match(`"${s.vector(0)}"`)), names: "im/2" }),
      get("id=im%2F2"),
    ],
  },
  {
    name: "If-Match on what is not there, and odd values",
    steps: [
      put("im%2F3", "{}", match("x")),
      put("im%2F3", "{}", match("*")),
      put("im%2F3"),
      put("im%2F3", "{}", match("*")),
      put("im%2F3", "{}", match('"x')),
      put("im%2F3", "{}", { "If-None-Match": "*" }),
    ],
  },
  {
    name: "If-Match: a tombstone's vector does not match",
    steps: [
      put("im%2F4"),
      del("im%2F4"),
      (s) => put("im%2F4", "{}", match(s.vector(0))),
      put("im%2F4", "{}", match('""')),
      (s) => put("IM%2F4", "{}", match(s.vector(0))),
    ],
  },
  {
    name: "DELETE with If-Match",
    steps: [
      put("de%2F1"),
      del("de%2F1", match('"x"')),
      del("de%2F1", match('""')),
      (s) => del("de%2F1", match(`"${s.vector(0)}"`)),
      del("de%2F1"),
      del("de%2F1", match("x")),
      del("de%2F1", match('""')),
    ],
  },
  {
    name: "DELETE of what never was",
    steps: [
      del("never%2F1"),
      del("never%2F1", match("x")),
      del("never%2F1", match('""')),
      del("pipe%7C"),
      del("slash%2F"),
    ],
  },
  {
    name: "collections: no change, any case, none, after deletion",
    steps: [
      put("co%2F1", '{"@metadata":{"@collection":"Users"}}'),
      { ...put("co%2F1", '{"@metadata":{"@collection":"Other"}}'), names: "co/1" },
      put("co%2F1", '{"@metadata":{"@collection":"uSERS"}}'),
      get("id=co%2F1"),
      { ...put("co%2F1"), names: "@empty" },
      del("co%2F1"),
      put("co%2F1"),
      put("co%2F1", '{"@metadata":{"@collection":"Users"}}'),
      put("co%2F1", '{"@metadata":{"@collection":"@empty"}}'),
    ],
  },
  {
    name: "one id missing, blank, odd",
    steps: [
      get("id=no%2F1"),
      get("id="),
      get("id=%20"),
      get("id=x%00"),
      get("id=slash%2F"),
      get("id=pipe%7C"),
      head("id=no%2F1"),
    ],
  },
  {
    name: "several ids: order, duplicates, missing, blank",
    steps: [
      put("se%2F1", '{"n":1}'),
      put("se%2F2", '{"n":2}'),
      get("id=se%2F2&id=no%2F1&id=SE%2F1&id=se%2F2"),
      get("id=se%2F1&id=se%2F2"),
      get("id=se%2F2&id=se%2F1"),
      get("id=no%2F1&id=no%2F2"),
      get("id=&id="),
      get("id=no%2F1&id=%20&id=se%2F1"),
      get(`id=${"x".repeat(513)}&id=se%2F1`),
    ],
  },
  {
    name: "metadataOnly",
    steps: [
      put("mo%2F1", '{"n":1,"@metadata":{"@collection":"C","k":1}}'),
      ...["true", "True", "false", "1", ""].map((v) => get(`id=mo%2F1&metadataOnly=${v}`)),
      get("id=mo%2F1&id=no&metadataOnly=true"),
      get("ID=mo%2F1&METADATAONLY=true"),
    ],
  },
  {
    name: "If-None-Match: one document",
    steps: [
      put("nm%2F1"),
      get("id=nm%2F1"),
      (s) => get("id=nm%2F1", { "If-None-Match": s.etag(1) }),
      (s) => get("id=nm%2F1", { "If-None-Match": s.vector(1) }),
      (s) => get("id=nm%2F1", { "If-None-Match": `W/${s.etag(1)}` }),
      get("id=nm%2F1", { "If-None-Match": "*" }),
      (s) => head("id=nm%2F1", { "If-None-Match": s.etag(1) }),
      get("id=no", { "If-None-Match": '"404 Response"' }),
      get("id=no", { "If-None-Match": "404 Response" }),
      (s) => get("id=no", { "If-None-Match": s.etag(1) }),
    ],
  },
  {
    name: "If-None-Match: several documents",
    steps: [
      put("nm%2F2"),
      get("id=nm%2F2&id=no"),
      (s) => get("id=nm%2F2&id=no", { "If-None-Match": s.etag(1) }),
      put("nm%2F2"),
      (s) => get("id=nm%2F2&id=no", { "If-None-Match": s.etag(1) }),
    ],
  },
  {
    name: "POST ids",
    steps: [
      put("po%2F1", '{"n":1}'),
      post('{"Ids":["po/1"]}'),
      post('{"Ids":["no"]}'),
      post('{"Ids":["po/1","no","PO/1"]}', "?metadataOnly=true"),
      post('{"Ids":[1]}'),
      post('{"Ids":[null]}'),
      post('{"Ids":[""]}'),
      post('{"Ids":["po/1",null,5]}'),
      post('{"Ids":["po/1"],"Other":1}'),
      post('{"Ids":["po/1"]}', "?id=no"),
      (s) => ({ ...post('{"Ids":["po/1"]}'), headers: { "If-None-Match": s.etag(1) } }),
    ],
  },
  ...[
    "",
    "{",
    "[]",
    '{"Ids":["a"]',
    "{}",
    '{"ids":["a"]}',
    '{"Ids":null}',
    '{"Ids":"a"}',
    '{"Ids":{}}',
    '{"Ids":5}',
  ].map((body) => ({ name: `POST refused: '${body}'`, steps: [post(body)] })),
  {
    name: "blank include, id beside a listing's parameters",
    steps: [
      put("in%2F1"),
      get("id=in%2F1&include="),
      get("id=in%2F1&startsWith=in"),
      get("start=0&id=in%2F1"),
      get("id=&startsWith=in"),
    ],
  },
  { name: "HEAD without id", steps: [head("x=1")] },
  {
    name: "paths",
    steps: [
      put("pa%2F1"),
      { path: "{D}/do%63s?id=pa%2F1" },
      { path: "{D}/docs/?id=pa%2F1" },
      { path: "{D}/DOCS?id=pa%2F1" },
      { method: "OPTIONS", path: "{D}/docs?id=pa%2F1" },
      { path: "{D}/docs?&&id=pa%2F1&=x" },
    ],
  },
];
