// Identities: POST identity/next, identity/seed, GET debug/identities, ids that end in `|`.
import { bulk, get, P, put } from "../lib/documents.mjs";

const post = (path) => ({ method: "POST", path: `{D}/${path}` });
const next = (name, more = "") => post(`identity/next?name=${name}${more}`);
const seed = (name, value, more = "") => post(`identity/seed?name=${name}&value=${value}${more}`);
const list = (query = "") => ({ path: `{D}/debug/identities${query}` });

export default [
  {
    name: "next: any case, with and without the pipe",
    steps: ["in1", "IN1", "in1%7C", "in1%7C%7C", "in1/", "in1/%7C", "%7C"].map((name) => next(name)),
  },
  {
    name: "next: letters of every kind",
    steps: [
      "%C3%BCn%C3%AF%E6%97%A5",
      "%C3%9CN%C3%8F%E6%97%A5",
      "%F0%9F%98%80",
      "a%20b%20",
      "a%20b",
      "ct%07",
    ].map((name) => next(name)),
  },
  ...["", "?name=", "?name=%20", "?name", "?name=a&name=b"].map((query) => ({
    name: `next refused: '${query}'`,
    steps: [{ ...post(`identity/next${query}`), names: "name" }],
  })),
  {
    name: "seed: never lower, unless forced",
    steps: [
      seed("is1", 100),
      next("is1"),
      seed("IS1", 50),
      next("is1"),
      seed("is1", 50, "&force=true"),
      next("is1"),
      seed("is1", 51),
      seed("is1%7C", 60, "&force=False"),
      seed("is1", 40, "&force=TRUE"),
      next("is1"),
    ],
  },
  {
    name: "seed: zero and below are stored, zero is returned",
    steps: [
      seed("is2", 0),
      next("is2"),
      seed("is3", -5),
      next("is3"),
      seed("is3", -2),
      seed("is3", -9),
      next("is3"),
      seed("is3", 5),
      seed("is3", -3, "&force=true"),
      next("is3"),
      put("is3|"),
    ],
  },
  { name: "seed: the highest", steps: [seed("is4", "9223372036854775807")] },
  ...[
    ["name=ir", ""],
    ["value=5", "name"],
    ["name=&value=5", "name"],
    ["name=ir&value=", ""],
    ["name=ir&value=abc", "value"],
    ["name=ir&value=1.5", "value"],
    ["name=ir&value=9223372036854775808", "value"],
    ["name=ir&name=x&value=5", "name"],
    ["name=ir&value=5&force=1", "force"],
  ].map(([query, names]) => ({
    name: `seed refused: ${query}`,
    steps: [{ ...post(`identity/seed?${query}`), names }, next("ir")],
  })),
  {
    name: "seed: odd spellings",
    steps: [seed("iw", "1&value=2"), seed("iw", "%2B9"), seed("iw", "12", "&force="), next("iw")],
  },
  {
    name: "a repeated raft-request-id uses up no number",
    steps: [
      (s) => next("rr1", `&raft-request-id=${s.database}-a`),
      (s) => next("rr1", `&raft-request-id=${s.database}-a`),
      (s) => next("rr1", `&RAFT-REQUEST-ID=${s.database}-a`),
      (s) => next("rr1", `&raft-request-id=${s.database}-A`),
      // The request id is recognised under any name.
      (s) => next("rr-other", `&raft-request-id=${s.database}-A`),
      next("rr1", "&raft-request-id="),
      next("rr1", "&raft-request-id=%20"),
      next("rr1", "&raft-request-id=%20"),
      (s) => next("rr1", `&raft-request-id=${s.database}-b&raft-request-id=x`),
      next("rr1"),
    ],
  },
  {
    name: "a repeated raft-request-id seeds once",
    steps: [
      (s) => seed("rr2", 40, `&raft-request-id=${s.database}-s`),
      (s) => seed("rr2", 60, `&raft-request-id=${s.database}-s`),
      next("rr2"),
    ],
  },
  {
    name: "a raft-request-id of another command",
    // RavenDB fails with a memory error, which 6.2 reports differently each time.
    newOnly: true,
    steps: [
      (s) => seed("rr3", 40, `&raft-request-id=${s.database}-x`),
      (s) => next("rr3", `&raft-request-id=${s.database}-x`),
      (s) => next("rr3", `&raft-request-id=${s.database}-y`),
      (s) => seed("rr3", 90, `&raft-request-id=${s.database}-y`),
      next("rr3"),
    ],
  },
  {
    name: "the list",
    own: true,
    newOnly: true,
    steps: [
      list(),
      next("Users"),
      seed("b", 7),
      next("%C3%9C"),
      list(),
      next("users"),
      list("?pageSize=1"),
      list("?pageSize=2"),
      list("?pageSize=0"),
      list("?pageSize=-1"),
      { ...list("?pageSize=x"), names: "pageSize" },
      seed("neg", -5),
      list("?start=0"),
    ],
  },
  {
    name: "wrong methods and paths",
    steps: [
      { path: "{D}/identity/next?name=wm" },
      { method: "PUT", path: "{D}/identity/next?name=wm" },
      { method: "HEAD", path: "{D}/identity/next?name=wm" },
      { path: "{D}/identity/seed?name=wm&value=5" },
      post("identity"),
      post("identity/next/?name=wm"),
      { method: "POST", path: "{D}/IDENTITY/Next?name=wm" },
      post("debug/identities"),
      { path: "{D}/identities" },
    ],
  },
  {
    name: "PUT: the next number, in the case that was asked for",
    steps: [
      put("pi1|"),
      put("PI1|"),
      next("pi1"),
      put("pi1|"),
      get("pi1/1"),
      get("PI1/2"),
      get("pi1/4"),
      get("pi1|"),
      put("pi1||"),
      put("pi1/|"),
      put("pü|"),
      put(" |"),
    ],
  },
  { name: "PUT: the pipe alone", own: true, steps: [put("|"), put("|"), get("/1"), list()] },
  {
    name: "PUT: what is there already under the next id is overwritten",
    steps: [
      put("pi2/1", '{"old":1}'),
      put("pi2|", '{"new":1}'),
      get("pi2/1"),
      put("pi2|"),
      put("pi2"),
      put("pi2|"),
    ],
  },
  {
    name: "PUT with If-Match, and numbers that are burned",
    steps: [
      put("pi3|", "{}", { "If-Match": '""' }),
      put("pi3|", "{}", { "If-Match": '"A:1-x"' }),
      put("pi3|", "{}", { "If-Match": '""' }),
      put("pi3|", "{"),
      put("pi3|"),
      put("pi3|", '{"@metadata":null}'),
      put("pi3|"),
      put("pi3/8", '{"@metadata":{"@collection":"A"}}'),
      put("pi3|", '{"@metadata":{"@collection":"B"}}'),
      put("pi3|", '{"@metadata":{"@collection":"B"}}'),
    ],
  },
  {
    name: "PUT with a raft-request-id: the same id again",
    steps: [
      (s) => put("pi4|", "{}", {}, `&raft-request-id=${s.database}-put`),
      (s) => put("pi4|", "{}", {}, `&raft-request-id=${s.database}-put`),
      put("pi4|"),
    ],
  },
  {
    name: "PUT: ids that are too long",
    steps: [put(`${"p".repeat(510)}|`), { ...put(`${"p".repeat(511)}|`), names: "513" }],
  },
  {
    // Older servers accept these.
    name: "PUT: control characters are refused, and the number is burned",
    newOnly: true,
    steps: [
      { ...put("c\u0001|"), names: "\\u0001/1" },
      { ...put("c\u0001|"), names: "\\u0001/2" },
    ],
  },
  {
    name: "DELETE of an id with a pipe deletes nothing",
    steps: [
      put("pi5|"),
      { method: "DELETE", path: "{D}/docs?id=pi5%7C" },
      bulk({ Type: "DELETE", Id: "pi5|" }),
      get("pi5/1"),
    ],
  },
  {
    name: "batch: twice, in any case, with others",
    steps: [
      bulk(P("bi1|"), P("bi1|"), P("BI1|"), P("bi2|"), P("bi1/x"), P("bi1||")),
      next("bi1"),
      get("bi1/2"),
    ],
  },
  {
    name: "batch: a document that exists under the next id stays",
    steps: [
      put("bi3/1", '{"old":1}'),
      bulk(P("bi3|")),
      get("bi3/1"),
      bulk(P("bi3|")),
      bulk(P("bi3|", { ChangeVector: "" })),
    ],
  },
  {
    name: "batch: a change vector makes no sense",
    steps: [
      { ...bulk(P("bi4/x"), P("bi4|", { ChangeVector: "A:1-x" })), names: "bi4/1" },
      get("bi4/x"),
      next("bi4"),
    ],
  },
  {
    name: "batch: numbers are burnt by conflicts, not by misspelt commands",
    steps: [
      bulk(P("bi5|"), P("bi5/c", { ChangeVector: "zzz" })),
      next("bi5"),
      bulk(P("bi5/c", { ChangeVector: "zzz" }), P("bi5|")),
      next("bi5"),
      bulk(P("bi5|"), { Type: "FROB" }),
      bulk({ Type: "FROB" }, P("bi5|")),
      next("bi5"),
    ],
  },
  {
    name: "batch: a raft-request-id is no use",
    steps: [1, 2].map(() => (s) => ({
      ...bulk(P("bi6|"), P("bi6|")),
      path: `{D}/bulk_docs?raft-request-id=${s.database}-bulk`,
    })),
  },
  {
    name: "inside multi_get",
    steps: [
      {
        method: "POST",
        path: "{D}/multi_get",
        body: `{"Requests":[${[
          ["identity/next", "?name=mi", "POST"],
          ["identity/seed", "?name=mi&value=9", "POST"],
          ["identity/next", "?name=", "POST"],
        ]
          .map(([url, query, method]) => `{"Url":"{D}/${url}","Query":"${query}","Method":"${method}"}`)
          .join(
            ",",
          )},{"Url":"{D}/bulk_docs","Query":"","Method":"POST","Content":{"Commands":[{"Type":"PUT","Id":"mi|","Document":{}}]}}]}`,
      },
    ],
  },
].map((c) => ({ ...c, name: `identities: ${c.name}` }));
